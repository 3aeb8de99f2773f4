// Values as a record holds them: each has one spelling in JSON, so that no bit of the file can change unseen.

const DIGITS = 15;
const LEAST = 1e-6;

/**
 * A score on 15 digits: more than the arithmetic has, and so few that no two are the same number. Below a millionth it is 0,
 * as smaller numbers can be spelt with an exponent.
 */
export function cleanScore<T extends number | null>(score: T): T;
export function cleanScore(score: number | null): number | null {
  if (score === null) return null;
  return score < LEAST ? 0 : Number(score.toPrecision(DIGITS));
}

/** A text without control characters and halves of characters, at most 20,000 characters of it. */
export function cleanText<T extends string | null>(text: T): T;
export function cleanText(text: string | null): string | null {
  return text === null ? null : text.slice(0, 20_000).replace(/[\u0000-\u001f\p{Cs}]/gu, '\ufffd');
}
