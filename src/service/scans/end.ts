// Ends scans: finished, cancelled, or abandoned by the browser page that uploads the images. Returns the
// unused part of the reserved quota.
import type { Queries, Database } from '../../storage/db/database.js';
import { returnReserved } from '../../accounts/usage/reservations.js';
import { type ScanDeps, presentScan, isLive, reservationOf, type ScanRow, LIVE_STATES } from './scan.js';

/** Ends a scan. Requires that the transaction has locked the scan's row. Returns the new row. */
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
  const endedScan: ScanRow = { ...scan, ...change };
  await deps.listener(queries, {
    type: 'scan.finished',
    accountId: scan.account_id,
    scan: presentScan(endedScan, now),
  });
  return endedScan;
}

/**
 * Cancels a scan. Existing results stay, and no more items are checked or charged. Does nothing if the scan
 * has ended. Returns null if the account has no such scan.
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

/** Milliseconds without an upload after which a scan counts as abandoned. */
const ABANDONED_UPLOAD_MS = 3_600_000;

/** Records that an image was uploaded, so that the scan does not count as abandoned. */
export async function recordUpload(database: Database, scanId: string): Promise<void> {
  await database.run((queries) =>
    queries<ScanRow>('scans').where({ id: scanId }).update({ dealt_at: Date.now() }),
  );
}

/** Cancels scans with abandoned uploads, which would hold quota and count as running scans. */
export async function cancelAbandonedUploads(deps: Pick<ScanDeps, 'database' | 'listener'>): Promise<void> {
  const abandonedScans = await deps.database.run((queries) =>
    queries<ScanRow>('scans')
      .where({ is_uploaded: 1 })
      .whereIn('state', LIVE_STATES)
      .where('dealt_at', '<', Date.now() - ABANDONED_UPLOAD_MS)
      .limit(100)
      .select('id', 'account_id'),
  );
  for (const { id, account_id: accountId } of abandonedScans)
    await cancelScan(deps, { accountId, id, reason: 'the page that uploaded its images was closed' });
}
