// What the bench prints and draws.
import assert from 'node:assert/strict';
import { plotBars } from '../../bench/report/bar-chart.js';
import { chooseTicks, plotLines } from '../../bench/report/line-chart.js';
import { renderTable, tableOfGoals } from '../../bench/report/markdown.js';
import { show, showSpread } from '../../bench/report/numbers.js';
import { isReached, type Goal } from '../../bench/report/section.js';

const goal = (value: number | null, wanted: Goal['wanted']): Goal => ({
  what: 'speed',
  value,
  unit: '',
  wanted,
  note: '',
});

describe('a goal', () => {
  it('is reached at its bound, missed beyond it, and neither where nothing was measured', () => {
    assert.equal(isReached(goal(0.9, { atLeast: 0.9 })), true);
    assert.equal(isReached(goal(0.89, { atLeast: 0.9 })), false);
    assert.equal(isReached(goal(2, { atMost: 2 })), true);
    assert.equal(isReached(goal(2.1, { atMost: 2 })), false);
    assert.equal(isReached(goal(null, { atMost: 2 })), null);
    assert.equal(isReached(goal(NaN, { atLeast: 2 })), null);
  });

  it('is printed beside what was wanted', () => {
    const table = renderTable(tableOfGoals([goal(null, { atLeast: 2 }), goal(1.5, { atLeast: 2 })]));
    assert.match(table, /\| speed \| ≥ 2 \| – \| not measured \|/);
    assert.match(table, /\| speed \| ≥ 2 \| 1\.50 \| no \|/);
  });
});

describe('numbers', () => {
  it('keep about three digits', () => {
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

describe('plots', () => {
  it('enclose their values in ticks of 1, 2 and 5', () => {
    assert.deepEqual(chooseTicks([3, 40]), [2, 5, 10, 20, 50]);
    assert.deepEqual(chooseTicks([10]), [10]);
  });

  it('hold a line for each series, a bar for each part and their labels', () => {
    const lines = plotLines('latency', 'callers', 'ms', [
      {
        label: 'p50 <engine>',
        color: 0,
        points: [
          [1, 30],
          [2, 60],
        ],
      },
      { label: 'p99', color: 1, isDashed: true, points: [[1, 90]] },
    ]);
    assert.match(lines, /p50 &lt;engine&gt;/);
    assert.equal(lines.match(/stroke-width="2"/g)?.length, 4);
    const bars = plotBars(
      'stages',
      ['decode', 'infer'],
      [
        { label: 'a', parts: [1, 3], note: '' },
        { label: 'b', parts: [2, 2], note: 'half' },
      ],
    );
    assert.equal(bars.match(/<rect/g)?.length, 6);
    assert.match(bars, />4\.00</);
    assert.match(bars, />half</);
  });
});
