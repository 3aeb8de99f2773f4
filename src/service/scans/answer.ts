// What became of one item of a scan: its entry, and what is charged for it.
import { presentCheck } from '../../check/present.js';
import type { CheckReport } from '../../check/types.js';
import type { ErrorCode } from '../../base/error-codes.js';
import type { CheckError } from '../../base/errors.js';
import { toCheckRecord, type CheckRecord } from '../../accounts/usage/record-checks.js';
import { presentFailure, presentResult } from './entry.js';
import type { ItemRow, ScanOptions } from './rows.js';

/** What became of one item. */
export interface Answer {
  readonly position: number;
  /** The entry of the results, as JSON without line breaks. */
  readonly body: string;
  /** The charge, or the code of the error, which costs nothing. */
  readonly outcome:
    | { readonly kind: 'checked'; readonly record: CheckRecord }
    | { readonly kind: 'failed'; readonly code: ErrorCode };
}

/** Of which item an answer is. */
export type AnsweredItem = Pick<ItemRow, 'position' | 'line' | 'ref'>;

/** The answer of a picture that was checked. `latencyMs` counts from its first byte or its address, `fetchMs` is a part of it. */
export function answerChecked(
  item: AnsweredItem,
  report: CheckReport,
  told: {
    readonly include: ScanOptions['include'];
    readonly latencyMs: number;
    readonly fetchMs: number;
    /** What the history calls it; null where it keeps no names. */
    readonly name: string | null;
  },
): Answer {
  const { include, latencyMs, fetchMs, name } = told;
  const result = presentCheck(report, { include, latencyMs, fetchMs });
  return {
    position: item.position,
    body: JSON.stringify(presentResult(item, result)),
    outcome: { kind: 'checked', record: toCheckRecord(report, latencyMs, { ref: item.ref, name }) },
  };
}

/** The answer of an item that could not be checked. */
export function answerFailed(item: AnsweredItem, error: CheckError): Answer {
  return {
    position: item.position,
    body: JSON.stringify(presentFailure(item, error)),
    outcome: { kind: 'failed', code: error.code },
  };
}
