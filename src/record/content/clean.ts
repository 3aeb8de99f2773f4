// Normalization of values in a record: each value has exactly one JSON spelling, so that any change of the file is
// detected.

const DIGITS = 15;
const LEAST = 1e-6;

/**
 * Rounds a score to 15 digits, which is more precise than the computation and distinguishes all JSON numbers. Returns
 * 0 below one millionth, because smaller numbers may be written with an exponent.
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
