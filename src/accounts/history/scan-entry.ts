// Replaces the entry of one check in the results of its scan.
import type { Database, Queries } from '../../storage/db/database.js';

/** Matches identifiers of scans. Checks made by a scan have the scan's identifier as their request identifier. */
const SCAN_ID = /^scn_/;

/** Matches a check's entry in its scan's results. Written exactly as in the index, which is then used. */
const ENTRY_OF = `substring(body from '"id":"(chk_[0-9A-Z]{26})"') = ?`;

/** The columns of a check that name its scan. */
export interface ScannedCheck {
  readonly id: string;
  readonly account_id: string;
  readonly request_id: string;
}

interface EntryRow {
  readonly scan_id: string;
  readonly position: number;
  readonly line: number;
  readonly address: string | null;
  readonly ref: string | null;
  readonly body: string;
}

/**
 * Replaces columns of a check's entry by the result of `change`. Returns false if no scan of the account made the check.
 * Searches all scans of the account if `request_id` is missing, because the check has left the history. `request_id` is
 * not trusted, because callers can choose their request identifiers: one could name a scan of another account.
 */
export async function changeScanEntry(
  queries: Queries,
  dialect: Database['dialect'],
  { account_id, id, request_id }: Omit<ScannedCheck, 'request_id'> & Partial<ScannedCheck>,
  change: (entry: Pick<EntryRow, 'line' | 'body'>) => Partial<Pick<EntryRow, 'address' | 'ref' | 'body'>>,
): Promise<boolean> {
  // Scans need PostgreSQL.
  if (dialect !== 'postgres') return false;
  if (request_id !== undefined && !SCAN_ID.test(request_id)) return false;
  const scan = { account_id, ...(request_id !== undefined && { id: request_id }) };
  const row = await queries<EntryRow>('scan_items')
    .whereIn('scan_id', queries('scans').where(scan).select('id'))
    .whereNotNull('body')
    .whereRaw(ENTRY_OF, [id])
    .first('scan_id', 'position', 'line', 'body');
  if (!row) return false;
  await queries<EntryRow>('scan_items')
    .where({ scan_id: row.scan_id, position: row.position })
    .update(change(row));
  return true;
}
