// Rounding the numbers of a result, so that a rounded score never contradicts the verdict.

const SCORE_STEPS = 10_000;

/** Rounds a score to four decimals without crossing `threshold`. Null stays null. */
export function roundScore<T extends number | null>(score: T, threshold: number): T;
export function roundScore(score: number | null, threshold: number): number | null {
  if (score === null) return null;
  const rounded = Math.round(score * SCORE_STEPS) / SCORE_STEPS;
  if (rounded >= threshold === score >= threshold) return rounded;
  return (
    (score >= threshold ? Math.ceil(score * SCORE_STEPS) : Math.floor(score * SCORE_STEPS)) / SCORE_STEPS
  );
}

/** Rounds milliseconds to one decimal. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
