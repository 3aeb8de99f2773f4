// Remarks about a past check: reports of a wrong verdict, and notes.
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import type { Actor, Database, Queries } from '../../storage/db/database.js';
import { audit } from '../audit.js';
import type { Status } from './filter.js';
import { labelOf, type Label } from './outcomes.js';

/** Maximum number of characters of a note, and of the explanation of a report. */
export const MAX_NOTE = 500;

/** Returns the error for an identifier that no check of the account has. */
export function noSuchCheck(): CheckError {
  return new CheckError('not_found', 'This account has no such check in its history');
}

/** A report that a verdict is wrong. */
export interface Report {
  readonly label: Label;
  /** An explanation by the person who reports; may be empty. */
  readonly note: string;
  readonly at: Date;
}

/** A member's note on a check, and the result of the review. */
export interface Note {
  /** Text of the note; may be empty. */
  readonly text: string;
  /** Null if the check has not been reviewed. */
  readonly status: Status | null;
  readonly at: Date;
  /** Null if the member no longer exists. */
  readonly memberEmail: string | null;
}

/** A check of an account, and the member or the API key that remarks on the check. */
interface RemarkedCheck {
  readonly accountId: string;
  readonly id: string;
  readonly by: string;
}

/**
 * Reports that the verdict of a check is wrong; null withdraws the report. `param` is the name of the request parameter
 * with the label. Throws CheckError not_found, and invalid_request if the report agrees with the verdict.
 */
export async function reportCheck(
  database: Database,
  { accountId, id, by }: RemarkedCheck,
  report: Pick<Report, 'label' | 'note'> | null,
  param = 'label',
): Promise<void> {
  await database.transaction(async (queries) => {
    const checks = () => queries<{ id: string; account_id: string; is_ai: number }>('checks');
    const check = await checks().where({ account_id: accountId, id }).forUpdate().first('is_ai');
    if (!check) throw noSuchCheck();
    if (report?.label === labelOf(check.is_ai === 1))
      throw invalidRequest('Expected a label that differs from the verdict', { param });
    await queries('checks')
      .where({ id })
      .update({
        reported_label: report?.label ?? null,
        reported_note: report?.note ?? null,
        reported_by: report ? by : null,
        reported_at: report ? Date.now() : null,
      });
  });
}

/**
 * Stores a note, without the spaces around its text, and the result of a review for a check of the account; if both are
 * empty, removes them. Throws CheckError not_found.
 */
export async function noteCheck(
  database: Database,
  { accountId, id, by }: RemarkedCheck,
  note: Pick<Note, 'text' | 'status'>,
): Promise<void> {
  const { text, status } = { ...note, text: note.text.trim() };
  await database.transaction(async (queries) => {
    const row = await lockChecks(queries, accountId, [id]).first();
    if (!row) throw noSuchCheck();
    await writeNotes(queries, [id], { text, status }, by);
    await auditStatuses(queries, database.actor, accountId, [row], status);
  });
}

/** Sets the status of several checks of the account and keeps their notes. Returns the number of checks found. */
export async function setStatuses(
  database: Database,
  {
    accountId,
    ids,
    by,
  }: { readonly accountId: string; readonly ids: readonly string[]; readonly by: string },
  status: Status | null,
): Promise<number> {
  return database.transaction(async (queries) => {
    const rows = await lockChecks(queries, accountId, ids);
    for (const text of new Set(rows.map(({ note }) => note ?? ''))) {
      const sameNote = rows.filter(({ note }) => (note ?? '') === text).map(({ id }) => id);
      await writeNotes(queries, sameNote, { text, status }, by);
    }
    await auditStatuses(queries, database.actor, accountId, rows, status);
    return rows.length;
  });
}

interface NotedRow {
  id: string;
  account_id: string;
  note: string | null;
  status: string | null;
}

/** Selects checks and locks them in the order of their identifiers, which prevents deadlocks. */
function lockChecks(queries: Queries, accountId: string, ids: readonly string[]) {
  return queries<NotedRow>('checks')
    .where({ account_id: accountId })
    .whereIn('id', [...ids])
    .orderBy('id')
    .forUpdate()
    .select('id', 'note', 'status');
}

async function writeNotes(
  queries: Queries,
  ids: readonly string[],
  { text, status }: Pick<Note, 'text' | 'status'>,
  by: string,
): Promise<void> {
  const isNoted = text !== '' || status !== null;
  await queries('checks')
    .whereIn('id', [...ids])
    .update({
      note: isNoted ? text : null,
      status,
      noted_by: isNoted ? by : null,
      noted_at: isNoted ? Date.now() : null,
    });
}

/** Writes an entry to the audit log for each check whose status changes. */
async function auditStatuses(
  queries: Queries,
  actor: Actor,
  accountId: string,
  rows: readonly Pick<NotedRow, 'id' | 'status'>[],
  status: Status | null,
): Promise<void> {
  for (const { id, status: before } of rows) {
    if (before === status) continue;
    const change = { accountId, subject: id, before: { status: before }, after: { status } };
    await audit(queries, actor, { what: 'check.status_changed', ...change });
  }
}
