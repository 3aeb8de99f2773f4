// How a scan ends: finished with its last answer, or cancelled; what it did not use of its reservation is returned.
import type { Queries } from '../../storage/db/database.js';
import { returnReserved } from '../../accounts/usage/reservations.js';
import type { ScanDeps } from './deps.js';
import { presentScan } from './present.js';
import { isLive, reservationOf, type ScanRow } from './rows.js';

/** Ends a scan whose row the transaction has locked; gives the row as it is then. */
export async function endScan(
  queries: Queries,
  deps: Pick<ScanDeps, 'listener'>,
  scan: ScanRow,
  outcome: { readonly state: 'finished' } | { readonly state: 'cancelled'; readonly reason: string },
): Promise<ScanRow> {
  const now = new Date();
  const change = { ...outcome, ended_at: now.getTime() };
  await queries('scans').where({ id: scan.id }).update(change);
  const unused = scan.reserved - scan.checked;
  if (unused > 0) await returnReserved(queries, reservationOf(scan), unused);
  const ended: ScanRow = { ...scan, ...change };
  await deps.listener(queries, {
    type: 'scan.finished',
    accountId: scan.account_id,
    scan: presentScan(ended, now),
  });
  return ended;
}

/**
 * Cancels a scan: its answers stay, no more come, nothing more is charged. One that has ended stays as it is. Null
 * if the account has no such scan.
 */
export async function cancelScan(
  deps: Pick<ScanDeps, 'database' | 'listener'>,
  { accountId, id, reason }: { readonly accountId: string; readonly id: string; readonly reason: string },
): Promise<ScanRow | null> {
  return deps.database.transaction(async (queries) => {
    const scan = await queries<ScanRow>('scans')
      .where({ id, account_id: accountId })
      .whereNot({ state: 'receiving' })
      .forUpdate()
      .first();
    if (!scan) return null;
    return isLive(scan) ? endScan(queries, deps, scan, { state: 'cancelled', reason }) : scan;
  });
}
