// Formatting measured rates. Error rates are rounded up and hit rates down, so that no rate looks better than
// measured.

/** Tolerance for floating-point errors, so that a value on a step is not rounded to the next one. */
const SLACK = 1e-9;

/** Formats an error rate, 0..1, rounded up, such as `0.15%`. */
export function percentUp(share: number): string {
  return percent(share, roundUp);
}

/** Formats a hit rate or the lower end of an interval, 0..1, rounded down, such as `67.25%`. */
export function percentDown(share: number): string {
  return percent(share, roundDown);
}

/** Rounds up to a number of decimals. */
export function roundUp(value: number, decimals: number): number {
  const steps = 10 ** decimals;
  // Adds 0, because the ceiling of a small negative number is -0.
  return Math.ceil(value * steps - SLACK) / steps + 0;
}

/** Rounds down to a number of decimals. */
export function roundDown(value: number, decimals: number): number {
  const steps = 10 ** decimals;
  return Math.floor(value * steps + SLACK) / steps;
}

function percent(share: number, round: typeof roundUp): string {
  const percents = share * 100;
  return `${round(percents, percents < 10 ? 2 : 1)}%`;
}
