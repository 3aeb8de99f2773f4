// Tests reading stored benchmark results and comparing new results with them.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareResults, figuresOf, pairUp } from '../../bench/report/earlier-results.js';
import {
  readKept,
  writeResults,
  type KeptResults,
  type Results,
} from '../../bench/report/earlier-results.js';
import { BenchUsageError } from '../../bench/options.js';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';
import { machine, results, row } from './results.js';

const keptAs = (name: string, rest: Partial<Results>): KeptResults => ({ ...results(rest), name });
const loop = (perSecond: number, p99: number) => ({ perSecond, latency: { p50: p99 / 2, p99 } });

describe('stored benchmark results', () => {
  let folder: string;
  before(() => (folder = makeFolder('bench-test')));

  it('are read from one folder or its subfolders, newest first', () => {
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

  it('in the repository can each be compared with themselves', () => {
    const shipped = readKept(join(ROOT, 'bench/results'));
    assert.ok(shipped.length > 0);
    for (const one of shipped) {
      const pairs = pairUp(one, [one]);
      assert.equal(pairs.length, figuresOf(one).length, one.name);
      assert.ok(pairs.every(({ now, before }) => now === before));
    }
    // Preloading leaves out a part of the program, so such results are not comparable with others.
    assert.deepEqual(
      shipped.filter(({ conditions }) => conditions.preloaded.length > 0).map(({ name }) => name),
      ['2026-11-24-engine-without-vnni'],
    );
  });
});

describe('a comparison of benchmark results', () => {
  it('covers goals, rates and latencies, with the median of several rounds', () => {
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
          row('scan', 'beside', { result: loop(5, 50) }),
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
        'scan: beside: a second 5',
        'scan: beside: p50 ms 25',
        'scan: beside: p99 ms 50',
      ],
    );
  });

  it('uses the newest earlier results that have the same settings and conditions', () => {
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

  it('is printed as a table with differences above ten percent in bold', () => {
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
