// `ref`: the caller's own reference of a picture, from the query, the form or the JSON body.
import { visibleText } from '../../../base/visible-text.js';
import { CheckError } from '../../../base/errors.js';
import { collectFields } from './check-options.js';

/** Characters of one reference. */
const MAX_CHARACTERS = 128;

/** Named texts of a query or form, taken apart. */
export interface SplitFields {
  /** Every `ref`, in order; an empty one stands for none. */
  readonly refs: readonly string[];
  /** The others, by name. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** Takes `ref` out of the fields of a query or form. Throws CheckError invalid_request for one that can be none. */
export function splitRefs(fields: readonly (readonly [string, string])[]): SplitFields {
  const refs = fields.filter(([name]) => name === 'ref').map(([, value]) => value);
  for (const ref of refs) requireSound(ref);
  return { refs, others: collectFields(fields.filter(([name]) => name !== 'ref')) };
}

/**
 * One reference for each of `count` pictures, null if there is none. `places` maps the name of a place, for messages,
 * to what stood there: none, or one for each picture. Throws CheckError invalid_request.
 */
export function chooseRefs(
  places: Readonly<Record<string, readonly (string | undefined)[]>>,
  count: number,
): readonly (string | null)[] {
  const chosen = new Array<string | null>(count).fill(null);
  for (const [place, refs] of Object.entries(places)) {
    if (refs.length !== 0 && refs.length !== count)
      throw invalid(
        `${place}: Expected a 'ref' for each image, in their order (${count}), but received ${refs.length}`,
      );
    for (const [index, ref = ''] of refs.entries()) {
      if (ref === '') continue;
      requireSound(ref);
      if (chosen[index] !== null && chosen[index] !== ref)
        throw invalid("'ref' is given more than once, with different values");
      chosen[index] = ref;
    }
  }
  return chosen;
}

function requireSound(ref: string): void {
  if (ref.length <= MAX_CHARACTERS && visibleText(ref) === ref) return;
  const received = ref.length > MAX_CHARACTERS ? `${ref.length} characters` : 'one that can not be printed';
  throw invalid(`Expected at most ${MAX_CHARACTERS} printable characters for 'ref' but received ${received}`);
}

function invalid(message: string): CheckError {
  return new CheckError('invalid_request', message, { param: 'ref' });
}
