// Normalising the values of a record. Each value then has exactly one spelling in JSON, so that every change
// is detected.

const DIGITS = 15;
const LEAST = 1e-6;

/**
 * Rounds a score to 15 digits, which is more precise than its computation. Scores below one millionth become
 * 0, because JSON may write smaller numbers with an exponent.
 */
export function cleanScore<T extends number | null>(score: T): T;
export function cleanScore(score: number | null): number | null {
  if (score === null) return null;
  return score < LEAST ? 0 : Number(score.toPrecision(DIGITS));
}

/** Removes control characters and unpaired surrogates from a text, and cuts it to 20,000 characters. */
export function cleanText<T extends string | null>(text: T): T;
export function cleanText(text: string | null): string | null {
  return text === null ? null : text.slice(0, 20_000).replace(/[\u0000-\u001f\p{Cs}]/gu, '\ufffd');
}
