// Rounding and formatting numbers: counts, scores, durations and measured rates. Error rates are rounded up and hit
// rates down, so that no rate looks better than measured.
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

/** Returns `1 image` or `2 images`; `plural` defaults to the word with an s. */
export function countOf(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}

/** Returns the log odds of a score. Scores of 0 and 1 give finite numbers, too. */
export function logOdds(score: number): number {
  const inside = Math.min(Math.max(score, 1e-9), 1 - 1e-9);
  return Math.log(inside / (1 - inside));
}

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

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
