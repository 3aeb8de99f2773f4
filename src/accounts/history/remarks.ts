// What people say of a past check: reports that its verdict is wrong, and notes.
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Database } from '../../storage/db/database.js';
import type { Status } from './filter.js';

/** Right answers that a report may give; `models eval` reads the same words. */
export const LABELS = ['real', 'generated', 'edited', 'swapped'] as const;
/** One of them. */
export type Label = (typeof LABELS)[number];

/** A report that a verdict is wrong. */
export interface Report {
  readonly label: Label;
  /** A word about it; may be empty. */
  readonly note: string;
  readonly at: Date;
}

/** What a verdict says, as a label: no kind of AI, so that a report may name another kind than generated. */
export function labelOf(isAi: boolean): Label {
  return isAi ? 'generated' : 'real';
}

/** Refuses a report that says what the verdict says; `param` holds it. Throws CheckError invalid_request. */
export function requireCorrection(isAi: boolean, label: Label, param: string): void {
  if (label !== labelOf(isAi)) return;
  throw new CheckError('invalid_request', 'Expected a correction but received what the verdict says itself', {
    param,
  });
}

/** What members noted of a check. */
export interface Note {
  /** May be empty. */
  readonly text: string;
  /** Null where none was said. */
  readonly status: Status | null;
  readonly at: Date;
  /** Null where the member is gone. */
  readonly memberEmail: string | null;
}

/**
 * Keeps a report with a check of the account, or with null takes it back; `by` is the member, or the key, that reports.
 * False where there is no such check.
 */
export async function reportCheck(
  database: Database,
  { accountId, id, by }: { readonly accountId: string; readonly id: string; readonly by: string },
  report: { readonly label: Label; readonly note: string } | null,
): Promise<boolean> {
  const changed = await database.run((queries) =>
    queries('checks')
      .where({ account_id: accountId, id })
      .update({
        reported_label: report?.label ?? null,
        reported_note: report?.note ?? null,
        reported_by: report ? by : null,
        reported_at: report ? Date.now() : null,
      }),
  );
  return changed === 1;
}

/** Keeps a note and a status with a check of the account; both empty take them back. False where there is no such check. */
export async function noteCheck(
  database: Database,
  { accountId, id, by }: { readonly accountId: string; readonly id: string; readonly by: string },
  { text, status }: Pick<Note, 'text' | 'status'>,
): Promise<boolean> {
  const isNoted = text !== '' || status !== null;
  const changed = await database.run((queries) =>
    queries('checks')
      .where({ account_id: accountId, id })
      .update({
        note: isNoted ? text : null,
        status,
        noted_by: isNoted ? by : null,
        noted_at: isNoted ? Date.now() : null,
      }),
  );
  return changed === 1;
}
