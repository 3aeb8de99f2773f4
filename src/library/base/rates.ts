// Measured rates for people. Mistakes are never told rarer than they are, and hits never more frequent.

/** What a float may lie beside the step that it stands for. */
const SLACK = 1e-9;

/** A share of mistakes, 0..1, as `0.15%`: rounded up. */
export function percentUp(share: number): string {
  return percent(share, roundUp);
}

/** A share of hits, or the lower end of an interval, 0..1, as `67.25%`: rounded down. */
export function percentDown(share: number): string {
  return percent(share, roundDown);
}

/** The least number of so many decimals that is not below `value`. */
export function roundUp(value: number, decimals: number): number {
  const steps = 10 ** decimals;
  // Of nothing the ceiling is -0.
  return Math.ceil(value * steps - SLACK) / steps + 0;
}

/** The largest number of so many decimals that is not above `value`. */
export function roundDown(value: number, decimals: number): number {
  const steps = 10 ** decimals;
  return Math.floor(value * steps + SLACK) / steps;
}

function percent(share: number, round: typeof roundUp): string {
  const percents = share * 100;
  return `${round(percents, percents < 10 ? 2 : 1)}%`;
}
