// Statistics of measurements: percentiles, medians, ranges and slopes.

/**
 * Returns the smallest value that at least `percent` of `values` do not exceed (nearest rank). Returns NaN for an
 * empty list.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? NaN;
}

/** Returns the middle value, or the mean of the two middle values. Ignores NaN. Returns NaN if no value is left. */
export function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

/** Returns the smallest and the largest value. Ignores NaN. Returns NaN if no value is left. */
export function spread(values: readonly number[]): readonly [least: number, greatest: number] {
  const numbers = values.filter((value) => !Number.isNaN(value));
  return numbers.length === 0 ? [NaN, NaN] : [Math.min(...numbers), Math.max(...numbers)];
}

/** Distribution of response times in milliseconds. */
export interface Latency {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export function summarize(timesMs: readonly number[]): Latency {
  return {
    count: timesMs.length,
    p50: percentile(timesMs, 50),
    p95: percentile(timesMs, 95),
    p99: percentile(timesMs, 99),
    p999: percentile(timesMs, 99.9),
    max: percentile(timesMs, 100),
  };
}

/** Ratio of two measurements that were repeated in rounds: the median and the range over the rounds. */
export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
  readonly rounds: number;
}

/**
 * Divides two measurements round by round, which cancels slowdowns that affect a whole round. Requires lists of equal
 * length.
 */
export function ratioOfRounds(above: readonly number[], below: readonly number[]): Ratio {
  if (above.length !== below.length)
    throw new RangeError(`Expected as many rounds of both but received ${above.length} and ${below.length}`);
  const quotients = above.map((value, index) => value / (below[index] ?? NaN));
  const [least, greatest] = spread(quotients);
  return { median: median(quotients), least, greatest, rounds: quotients.length };
}

/** Slope of a line through measurements, with its 95% confidence interval. */
export interface Trend {
  readonly slope: number;
  readonly least: number;
  readonly greatest: number;
}

/**
 * Returns the slope of the least-squares line through `points`, which are in order of time. Neighbouring residuals are
 * correlated, so n points count as n (1 - r) / (1 + r), where r is the correlation of each residual with the next. If
 * fewer than four points count, the interval is unbounded. With fewer than two points the slope is NaN. Source: Santer
 * et al. 2000, Journal of Geophysical Research 105 (D6), section 4.
 */
export function trend(points: readonly (readonly [x: number, y: number])[]): Trend {
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = covariance / variance;
  const residuals = points.map(([x, y]) => y - meanY - slope * (x - meanX));
  const squares = residuals.reduce((sum, value) => sum + value ** 2, 0);
  const products = residuals.slice(1).reduce((sum, value, at) => sum + value * residuals[at]!, 0);
  const likeness = squares === 0 ? 0 : Math.max(0, products / squares);
  const freedom = (points.length * (1 - likeness)) / (1 + likeness) - 2;
  const reach = freedom >= 2 ? studentQuantile(freedom) * Math.sqrt(squares / freedom / variance) : Infinity;
  return { slope, least: slope - reach, greatest: slope + reach };
}

/**
 * Returns the 97.5% quantile of Student's t-distribution with `freedom` degrees of freedom. Source: Abramowitz and
 * Stegun, 26.7.5.
 */
function studentQuantile(freedom: number): number {
  const z = 1.959964;
  return (
    z +
    (z ** 3 + z) / (4 * freedom) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3)
  );
}
