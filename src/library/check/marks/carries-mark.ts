// Filtering check results by the kinds of marks (signs and declarations of AI) in the images.
import type { Mark } from '../types.js';
import type { MarkKind } from './kinds.js';

/** The part of a result that the filter reads. */
interface Marked {
  readonly details?: { readonly marks?: readonly Pick<Mark, 'kind'>[] };
}

/**
 * Returns whether an image has a mark of one of `kinds`. Returns false for an error and for a result without
 * marks.
 */
export function carriesMark(result: object, kinds: readonly MarkKind[]): boolean {
  return (result as Marked).details?.marks?.some(({ kind }) => kinds.includes(kind)) ?? false;
}
