// What became of one picture of the command line.
import type { CheckFailure, CheckReport } from '../../../check/types.js';
import { CheckError } from '../../../base/errors.js';
import type { SignedRecord } from '../../../record/content/schema.js';

/** A verdict, or why there is none; `record` if one was asked for and can be made. */
export type PictureResult = { readonly name: string; readonly record?: SignedRecord | null } & (
  { readonly report: CheckReport } | { readonly failure: CheckFailure }
);

/** Writes outcomes one after the other, in the order of the command line. */
export interface PictureResultWriter {
  add(outcome: PictureResult): Promise<void>;
  /** Closes all that is open, so that the output is whole, also after a stop half-way. */
  end(): Promise<void>;
}

/**
 * The failure that an error stands for; an error that is no CheckError is a fault of ours, whose text helps to report
 * it.
 */
export function toFailure(error: unknown): CheckFailure {
  if (error instanceof CheckError) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: error instanceof Error ? error.message : String(error) };
}
