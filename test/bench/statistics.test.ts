// Tests the benchmark's statistics on numbers with known results.
import assert from 'node:assert/strict';
import { createRandom } from '../../bench/corpus/scene.js';
import { meanUtilisation } from '../../bench/trials/engine.js';
import { planArrivals } from '../../bench/load/http-open-loop.js';
import { median, percentile, ratioOfRounds, spread, summarize, trend } from '../../bench/statistics.js';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

describe('the percentile of measured values', () => {
  it('is the value at the nearest rank, also for unsorted values', () => {
    assert.deepEqual(
      [1, 50, 95, 99, 100].map((percent) => percentile(hundred, percent)),
      [1, 50, 95, 99, 100],
    );
    assert.equal(percentile([3, 1, 2], 50), 2);
    assert.equal(percentile([7], 99), 7);
    assert.ok(Number.isNaN(percentile([], 50)));
  });
});

describe('median, spread and summary of measured values', () => {
  it('are the middle, the extremes and the tail of the values', () => {
    assert.equal(median([5, 1, 3]), 3);
    assert.equal(median([4, 1, 3, 2]), 2.5);
    assert.ok(Number.isNaN(median([])));
    assert.equal(median([NaN, 4, 2]), 3);
    assert.deepEqual(spread([NaN, 9, 4]), [4, 9]);
    assert.deepEqual(spread([2, 9, 4]), [2, 9]);
    assert.deepEqual(summarize(hundred), { count: 100, p50: 50, p95: 95, p99: 99, p999: 100, max: 100 });
  });
});

describe('the ratio of two measurements over several rounds', () => {
  it('is the median of the ratios of each round', () => {
    const ratio = ratioOfRounds([30, 10, 20], [10, 10, 10]);
    assert.deepEqual(ratio, { median: 2, least: 1, greatest: 3, rounds: 3 });
    // A round in which the whole machine was slow does not change the ratio.
    assert.equal(ratioOfRounds([30, 3], [20, 2]).greatest, 1.5);
    assert.throws(() => ratioOfRounds([1], [1, 2]), /as many rounds/);
  });
});

describe('the linear trend of a measured value', () => {
  it('has the slope of the least-squares line', () => {
    const line = [0, 1, 2, 3, 4].map((x): [number, number] => [x, 1 + 2 * x]);
    assert.deepEqual(trend(line), { slope: 2, least: 2, greatest: 2 });
    assert.ok(Number.isNaN(trend([[1, 1]]).slope));
    assert.deepEqual(trend(line.slice(0, 3)), { slope: 2, least: -Infinity, greatest: Infinity });
  });

  it('has a confidence interval as in Student’s t tables', () => {
    const { slope, least, greatest } = trend([1, 3, 2, 5, 4].map((y, x) => [x, y]));
    // Interval with three degrees of freedom: 3.182 standard errors of 0.3464.
    assert.ok(Math.abs(slope - 0.8) < 1e-9);
    assert.ok(Math.abs(greatest - slope - 3.182 * 0.3464) < 0.01);
    assert.ok(Math.abs(slope - least - 3.182 * 0.3464) < 0.01);
  });

  it('has a confidence interval that contains the true slope as often as stated, even if consecutive values are correlated', () => {
    const random = createRandom(7);
    let held = 0;
    for (let series = 0; series < 400; series += 1) {
      let drift = 0;
      const points = Array.from({ length: 320 }, (_, x): [number, number] => {
        drift = 0.9 * drift + random() - 0.5;
        return [x, 0.01 * x + drift];
      });
      const { least, greatest } = trend(points);
      if (least <= 0.01 && 0.01 <= greatest) held += 1;
    }
    // If the values were treated as independent, only about 35% of the intervals would contain the true
    // slope.
    assert.ok(held >= 360 && held <= 396, `${held} of 400`);
  });
});

describe('request times under a fixed request rate', () => {
  it('are at equal intervals from the start', () => {
    assert.deepEqual(planArrivals(4, 1), [0, 250, 500, 750]);
    assert.equal(planArrivals(7.5, 2).length, 15);
    assert.equal(planArrivals(0.1, 3).length, 0);
  });
});

describe('the measured GPU utilisation', () => {
  it('is the mean of the output lines that contain a number', () => {
    assert.equal(meanUtilisation('50\n100\n 0\n[N/A]\n'), 0.5);
    assert.equal(meanUtilisation('no device\n'), null);
  });
});
