// Numbers of a result, rounded so that they never say something else than the verdict.

const SCORE_STEPS = 10_000;

/** A score on four decimals, on the same side of `threshold` as before; null stays null. */
export function roundScore<T extends number | null>(score: T, threshold: number): T;
export function roundScore(score: number | null, threshold: number): number | null {
  if (score === null) return null;
  const rounded = Math.round(score * SCORE_STEPS) / SCORE_STEPS;
  if (rounded >= threshold === score >= threshold) return rounded;
  return (
    (score >= threshold ? Math.ceil(score * SCORE_STEPS) : Math.floor(score * SCORE_STEPS)) / SCORE_STEPS
  );
}

/** Milliseconds on one decimal. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
