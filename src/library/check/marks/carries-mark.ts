// Whether a result carries a mark of some kinds; only one whose `include` had marks tells.
import type { Mark } from '../types.js';
import type { MarkKind } from './kinds.js';

/** The part of a result that is looked at. */
interface Marked {
  readonly details?: { readonly marks?: readonly Pick<Mark, 'kind'>[] };
}

/** Whether one of the result's marks is of one of `kinds`; false for an error and where no marks were asked for. */
export function carriesMark(result: object, kinds: readonly MarkKind[]): boolean {
  return (result as Marked).details?.marks?.some(({ kind }) => kinds.includes(kind)) ?? false;
}
