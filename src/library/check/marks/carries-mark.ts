// Filtering results by the kinds of their marks.
import type { Mark } from '../types.js';
import type { MarkKind } from './kinds.js';

/** The used part of a result. */
interface Marked {
  readonly details?: { readonly marks?: readonly Pick<Mark, 'kind'>[] };
}

/**
 * Returns whether a mark of the result has one of `kinds`; false for an error and for a result without `marks` in its
 * `include`.
 */
export function carriesMark(result: object, kinds: readonly MarkKind[]): boolean {
  return (result as Marked).details?.marks?.some(({ kind }) => kinds.includes(kind)) ?? false;
}
