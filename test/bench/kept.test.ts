// Results that were kept: read again, compared with, asked how long a run takes.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareResults, figuresOf, pairUp } from '../../bench/kept/compare.js';
import { readKept, writeResults, type KeptResults, type Results } from '../../bench/kept/results.js';
import { describeTimeLeft, expectSeconds } from '../../bench/kept/time-left.js';
import { BenchUsageError, GROUPS, type Group } from '../../bench/options.js';
import { ROOT } from '../support/telltale.js';
import { machine, results, row } from './results.js';

const keptAs = (name: string, rest: Partial<Results>): KeptResults => ({ ...results(rest), name });
const loop = (perSecond: number, p99: number) => ({ perSecond, latency: { p50: p99 / 2, p99 } });

describe('kept results', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'telltale-bench-test-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are read from a folder or its folders, newest first', () => {
    assert.throws(() => readKept(join(folder, 'none')), BenchUsageError);
    assert.throws(() => readKept(folder), /there is no results\.json in/);
    for (const [name, date] of [
      ['a', '2026-01-01T00:00:00.000Z'],
      ['b', '2026-01-02T00:00:00.000Z'],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(
        join(folder, name, 'results.json'),
        writeResults(results({ machine: { ...machine, date } })),
      );
    }
    const names = (found: readonly KeptResults[]) => found.map(({ name }) => name);
    assert.deepEqual(names(readKept(folder)), ['b', 'a']);
    assert.deepEqual(names(readKept(join(folder, 'a'))), ['a']);
  });

  it('that ship can be compared with, each with itself', () => {
    const shipped = readKept(join(ROOT, 'bench/results'));
    assert.ok(shipped.length > 0);
    for (const one of shipped) {
      const pairs = pairUp(one, [one]);
      assert.equal(pairs.length, figuresOf(one).length, one.name);
      assert.ok(pairs.every(({ now, before }) => now === before));
    }
    // What was measured without a part of the processor is no measure for what has it.
    assert.deepEqual(
      shipped.filter(({ conditions }) => conditions.preloaded.length > 0).map(({ name }) => name),
      ['2026-11-24-engine-without-vnni'],
    );
  });
});

describe('a comparison', () => {
  it('takes goals, rates and latencies, and the median of rounds', () => {
    const found = figuresOf(
      results({
        goals: [
          { what: 'speed', value: 2, unit: '', wanted: { atLeast: 1 }, note: '' },
          { what: 'unknown', value: null, unit: '', wanted: { atLeast: 1 }, note: '' },
        ],
        rows: [
          row('engine', 'mix, round 1', { result: loop(10, 100) }),
          row('engine', 'mix, round 2', { result: loop(30, 300) }),
          row('engine', 'mix, round 3', { result: loop(20, 200) }),
          row('console', 'beside', { result: { loop: loop(5, 50) } }),
          row('gpu', 'left out', { result: null, skipped: 'none here' }),
        ],
      }),
    );
    assert.deepEqual(
      found.map(({ name, value }) => `${name} ${value}`),
      [
        'speed 2',
        'engine: mix: a second 20',
        'engine: mix: p50 ms 100',
        'engine: mix: p99 ms 200',
        'console: beside: a second 5',
        'console: beside: p50 ms 25',
        'console: beside: p99 ms 50',
      ],
    );
  });

  it('is with the newest of the same settings and conditions', () => {
    const rows = (perSecond: number, seconds: number, folder = '/here') => [
      row('engine', 'mix', { settings: { seconds, files: [`${folder}/a.jpg`] }, result: { perSecond } }),
    ];
    const quick = { ...results().conditions, isQuick: true };
    const kept = [
      keptAs('quick', { rows: rows(1, 6), conditions: quick }),
      keptAs('longer', { rows: rows(2, 60) }),
      keptAs('newer', { rows: rows(4, 6, '/there') }),
      keptAs('older', { rows: rows(8, 6) }),
    ];
    const pairs = pairUp(results({ rows: rows(6, 6) }), kept);
    assert.deepEqual(
      pairs.map(({ now, before, from }) => [now, before, from.name]),
      [[6, 4, 'newer']],
    );
  });

  it('is a table; more than a tenth is in bold', () => {
    const goal = (what: string, value: number) => ({
      what,
      value,
      unit: '',
      wanted: { atLeast: 1 },
      note: '',
    });
    const now = results({ goals: [goal('a', 1.05), goal('b', 0.8), goal('c', 1)] });
    const kept = [
      keptAs('before', { goals: [goal('a', 1), goal('b', 1)], machine: { ...machine, models: { x: 'y' } } }),
    ];
    const [runs, pairs] = compareResults(now, kept);
    assert.deepEqual(
      runs?.rows.map(([name, , , , , networks]) => [name, networks]),
      [
        ['this run', 'the same'],
        ['before', 'others'],
      ],
    );
    assert.deepEqual(pairs?.rows, [
      ['a', '1.05', '1.00', '1.05', 'before'],
      ['b', '0.80', '1.00', '**0.80**', 'before'],
    ]);
    assert.deepEqual(compareResults(results(), kept)[0]?.rows, [['before']]);
  });
});

describe('the time left', () => {
  const all = { groups: GROUPS, pictures: null };

  it('is that of the newest whole run of each group; more pictures take longer', () => {
    const quick = { ...results().conditions, isQuick: true };
    const kept = [
      keptAs('quick', { rows: [row('engine', 'a', { seconds: 1 })], conditions: quick }),
      keptAs('new', {
        rows: [
          row('engine', 'a', { seconds: 100 }),
          row('engine', 'b', { seconds: 20 }),
          row('scan', 'c', { seconds: 10, settings: { pictures: 1000 } }),
          row('scan', 'd', { seconds: 7 }),
        ],
      }),
      keptAs('old', {
        rows: [
          row('engine', 'a', { seconds: 999 }),
          row('memory', 'e', { seconds: 3, settings: { checks: 10 } }),
        ],
      }),
    ];
    const expected = expectSeconds({ ...all, pictures: 2000 }, kept);
    assert.deepEqual(
      (['engine', 'scan', 'memory', 'gpu'] as const).map((group) => expected.get(group)),
      [120, 27, 600, null],
    );
    assert.equal(expectSeconds(all, kept).get('scan'), 57);
  });

  it('is told by group, at the pace of those that ended', () => {
    const expected = new Map<Group, number | null>([
      ['engine', 120],
      ['scan', 600],
      ['gpu', null],
    ]);
    assert.equal(
      describeTimeLeft(expected, new Map()),
      'about 12 min left: engine 2, scan 10, gpu not known',
    );
    assert.equal(
      describeTimeLeft(expected, new Map([['engine', 240]])),
      'about 20 min left: scan 20, gpu not known',
    );
    assert.equal(
      describeTimeLeft(
        expected,
        new Map([
          ['engine', 240],
          ['scan', 1],
        ]),
      ),
      null,
    );
  });

  it('is known of every group that ships results', () => {
    const expected = expectSeconds(all, readKept(join(ROOT, 'bench/results')));
    const unknown = [...expected].filter(([, seconds]) => seconds === null).map(([group]) => group);
    assert.deepEqual(unknown, ['gpu']);
  });
});
