// An entry of a scan's results: a check result or an error, with the item's line and, if it has one, its ref.
import type { CheckResult } from '../../check/result-schema.js';
import type { ErrorCode } from '../../base/error-codes.js';
import type { CheckError } from '../../base/errors.js';

/** Which item an entry is about. */
export interface ItemName {
  readonly line: number;
  readonly ref: string | null;
}

/** A line of the results. */
export type ScanEntry = { readonly line: number; readonly ref?: string } & (
  CheckResult | { readonly error: { readonly code: ErrorCode; readonly message: string } }
);

const INTERNAL_MESSAGE = 'the service failed three times on this picture; it is not charged';

/** The entry of an item with a result. */
export function presentResult(item: ItemName, result: CheckResult): ScanEntry {
  return { ...nameOf(item), ...result };
}

/** The entry of an item without one. */
export function presentFailure(item: ItemName, error: CheckError): ScanEntry {
  const message = error.expose ? error.message : INTERNAL_MESSAGE;
  return { ...nameOf(item), error: { code: error.code, message } };
}

function nameOf({ line, ref }: ItemName): { line: number; ref?: string } {
  return ref === null ? { line } : { line, ref };
}
