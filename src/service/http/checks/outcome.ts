// What became of one picture of a request, and how it is answered.
import type { CheckResult } from '../../../check/result-schema.js';
import type { CheckError } from '../../../base/errors.js';
import { presentError, type ErrorBody } from '../errors/error-body.js';

/** What became of one picture. */
export type Outcome =
  | { readonly kind: 'checked'; readonly entry: CheckResult }
  | { readonly kind: 'failed'; readonly error: CheckError };

/** Entry of a batch, in the order of submission. */
export type Entry = CheckResult | ErrorBody;

/** An outcome as an entry of a batch, the answer to a request. */
export function presentEntry(outcome: Outcome, requestId: string): Entry {
  return outcome.kind === 'checked' ? outcome.entry : presentError(outcome.error, requestId);
}
