// Tests that the goals in docs/performance.md equal the goals in the benchmark's code.
import assert from 'node:assert/strict';
import { tableOfDays } from '../../bench/groups/scale.js';
import { readFileSync } from 'node:fs';
import { GOALS, showBound } from '../../bench/goals.js';

/** Rows of the documentation table in order: the beginning of the row, and the name of its goal. */
const ROWS: readonly (readonly [begins: string, goal: keyof typeof GOALS])[] = [
  ['`telltale check samples/scene.jpg`', 'coldStart'],
  ['engine efficiency, load photo', 'engineEfficiency'],
  ['engine efficiency, load mix', 'engineEfficiency'],
  ['HTTP service: throughput', 'serviceThroughput'],
  ['p99 ÷ p50 at 50% of capacity', 'tailAtHalfLoad'],
  ['goodput at 150%', 'goodputBeyondCapacity'],
  ['throughput ÷ that of the Node baseline', 'nodeBaseline'],
  ['the same, load mix', 'nodeBaseline'],
  ['throughput ÷ that of the Python baseline', 'pythonBaseline'],
  ['the same, load mix', 'pythonBaseline'],
  ['scan of 1,000 images', 'scanThroughput'],
  ['p99 of `POST /v1/check` beside a scan', 'tailBesideScan'],
  ['resident memory', 'memory'],
];

describe('the goals in docs/performance.md', () => {
  const page = readFileSync('docs/performance.md', 'utf8');

  it('equal the goals in the code of the benchmark, row by row', () => {
    const rows = page
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, , , goal]) => goal !== undefined && /^[≥≤] /.test(goal));
    assert.equal(rows.length, ROWS.length);
    for (const [at, [begins, name]] of ROWS.entries()) {
      const [, what = '', , goal = ''] = rows[at] ?? [];
      assert.ok(what.startsWith(begins), what);
      // The number may be followed by a unit.
      const [, bound] = /^([≥≤] \S+)/.exec(goal) ?? [];
      assert.equal(bound, showBound(GOALS[name]), what);
    }
  });
});

describe('the table of machines needed for a number of images a day', () => {
  it('multiplies the measured cost of one image', () => {
    const { head, rows } = tableOfDays({
      checksPerCore: 1 / 0.7,
      transactions: 5,
      databaseMs: 10,
      bytesKept: 1000,
      logBytes: 2000,
      imageBytes: 500_000,
    });
    for (const row of rows) assert.equal(row.length, head.length);
    assert.deepEqual(rows[1], ['1000000', '11.6', '11.6', '57.9', '0.12', '30.0', '2.00', '500']);
  });
});
