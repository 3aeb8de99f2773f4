// The arithmetic of the bench: percentiles, medians, spread, slopes.

/** The smallest value that at least `percent` of `values` do not exceed (nearest rank); NaN where there is none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? NaN;
}

/** The middle value, or the mean of the middle two; NaN where there is none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

/** Least and greatest value; NaN where there is none. */
export function spread(values: readonly number[]): readonly [least: number, greatest: number] {
  return values.length === 0 ? [NaN, NaN] : [Math.min(...values), Math.max(...values)];
}

/** A distribution of times in milliseconds. */
export interface Latency {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Sums `timesMs` up. */
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

/** Quotients of rounds that ran one after the other: the median of each pair's quotient, and their spread. */
export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
  readonly rounds: number;
}

/** Divides round by round, so that what slows a whole round down drops out. Both lists are of one length. */
export function ratioOfRounds(above: readonly number[], below: readonly number[]): Ratio {
  if (above.length !== below.length)
    throw new RangeError(`Expected as many rounds of both but received ${above.length} and ${below.length}`);
  const quotients = above.map((value, index) => value / (below[index] ?? NaN));
  const [least, greatest] = spread(quotients);
  return { median: median(quotients), least, greatest, rounds: quotients.length };
}

/** Slope of the least-squares line through points; 0 for fewer than two. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  if (points.length < 2) return 0;
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}
