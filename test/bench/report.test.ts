// Tests the text and the charts that the benchmark prints.
import assert from 'node:assert/strict';
import { findAlarms, tableOfWork } from '../../bench/report/alarms.js';
import { renderReport, renderTable, tableOfGoals } from '../../bench/report/markdown.js';
import { show, showSpread } from '../../bench/report/section.js';
import { isReached, type Goal } from '../../bench/report/section.js';
import { machine, row } from './results.js';

const goal = (value: number | null, wanted: Goal['wanted']): Goal => ({
  what: 'speed',
  value,
  unit: '',
  wanted,
  note: '',
});

describe('a benchmark goal', () => {
  it('is reached exactly at its limit, missed beyond it, and undecided without a measurement', () => {
    assert.equal(isReached(goal(0.9, { atLeast: 0.9 })), true);
    assert.equal(isReached(goal(0.89, { atLeast: 0.9 })), false);
    assert.equal(isReached(goal(2, { atMost: 2 })), true);
    assert.equal(isReached(goal(2.1, { atMost: 2 })), false);
    assert.equal(isReached(goal(null, { atMost: 2 })), null);
    assert.equal(isReached(goal(NaN, { atLeast: 2 })), null);
  });

  it('is printed next to the measured value', () => {
    const table = renderTable(tableOfGoals([goal(null, { atLeast: 2 }), goal(1.5, { atLeast: 2 })], false));
    assert.match(table, /\| speed \| ≥ 2 \| – \| not measured \|/);
    assert.match(table, /\| speed \| ≥ 2 \| 1\.50 \| no \|/);
  });

  it('is marked as implausible only if the measured value exceeds the possible maximum', () => {
    const efficiency = (value: number): Goal => ({ ...goal(value, { atLeast: 0.9 }), faultyAbove: 1.1 });
    const table = renderTable(tableOfGoals([efficiency(1.1), efficiency(1.11)], false));
    assert.match(table, /\| 1\.10 \| yes \|/);
    assert.match(table, /\| 1\.11 \| faulty run \|/);
    assert.deepEqual(findAlarms({ loadBefore: [0], cores: 1 }, [], [efficiency(1.1)]), []);
    assert.match(
      findAlarms({ loadBefore: [0], cores: 1 }, [], [efficiency(1.11)]).join(),
      /^A faulty run: speed is 1\.11/,
    );
  });
});

describe('a benchmark report', () => {
  const sections = [
    { title: 'Engine', tables: [], goals: [{ ...goal(1.5, { atLeast: 0.9 }), faultyAbove: 1.1 }] },
  ];
  const base = { machine, sections, rows: [], command: 'npm run bench', comparison: [] };

  it('does not state whether goals are met after a quick run', () => {
    const quick = renderReport({ ...base, isQuick: true });
    assert.match(quick, /A quick run.*no measurement/);
    assert.doesNotMatch(quick, /\breached\b|\| yes \||\| no \||faulty/i);
    assert.match(renderReport({ ...base, isQuick: false }), /\| reached \|[^]*\| faulty run \|/);
  });

  it('names the measurements that failed', () => {
    const rows = [row('engine', 'two callers', { failure: 'connection reset' })];
    const report = renderReport({ ...base, sections: [], rows, isQuick: false });
    assert.match(
      report,
      /doubtful:\*\*\n\n\* engine: 'two callers' failed and is missing below: connection reset/,
    );
  });

  it('prints warnings first', () => {
    const rows = [row('engine', 'two callers', { load: { average: 3, others: 0.5 } })];
    const report = renderReport({ ...base, sections: [], rows, isQuick: false });
    assert.match(
      report,
      /doubtful:\*\*\n\n\* engine: other programs took 0\.50 of each core during 'two callers'[^]*\*\*Machine/,
    );
    assert.doesNotMatch(renderReport({ ...base, sections: [], isQuick: false }), /doubtful/);
  });
});

describe('other programs that run during a benchmark', () => {
  const load = (others: number) => ({ average: 2, others });

  it('cause a warning above 0.3 per core, before the run or in the most disturbed measurement of a group', () => {
    assert.deepEqual(
      findAlarms({ loadBefore: [0.6, 9, 9], cores: 2 }, [row('engine', 'a', { load: load(0.3) })], []),
      [],
    );
    assert.match(
      findAlarms({ loadBefore: [0.8, 0, 0], cores: 2 }, [], []).join(),
      /minute before the run was 0\.40 a core/,
    );
    const rows = [
      row('engine', 'a', { load: load(0.31) }),
      row('engine', 'b', { load: load(0.7) }),
      row('scan', 'c', { load: load(0.1) }),
      row('scan', 'd', { load: null }),
    ];
    const alarms = findAlarms({ loadBefore: [0, 0, 0], cores: 2 }, rows, []);
    assert.equal(alarms.length, 1);
    assert.match(alarms[0] ?? '', /^engine: .* 0\.70 of each core during 'b'/);
  });

  it('are reported per group as a mean weighted by the length of the measurements', () => {
    const rows = [
      row('engine', 'a', { seconds: 30, load: { average: 2, others: 0 } }),
      row('engine', 'b', { seconds: 10, load: { average: 3, others: 0.4 } }),
      row('gpu', 'c', { load: null }),
    ];
    assert.deepEqual(tableOfWork(rows).rows, [['engine', '40.0', '3.00', '0.10', '0.40', 'b']]);
  });
});

describe('numbers in a benchmark report', () => {
  it('have about three significant digits', () => {
    assert.deepEqual([1234.5, 12.345, 1.2345, 0.012345, 0, null, NaN].map(show), [
      '1235',
      '12.3',
      '1.23',
      '0.012',
      '0.00',
      '–',
      '–',
    ]);
    assert.equal(showSpread(2, [1, 3]), '2.00 (1.00 to 3.00)');
    assert.equal(showSpread(2, [2, 2]), '2.00');
  });
});
