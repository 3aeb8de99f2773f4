// Scans whose pictures a page sends one by one: no picture is kept anywhere until its turn, nor after it.
import type { Database } from '../../storage/db/database.js';
import type { ScanDeps } from './deps.js';
import { cancelScan } from './end.js';
import { LIVE_STATES, type ItemRow, type ScanRow } from './rows.js';

/** How long nothing has to come before a scan counts as left. Chosen: longer than a night's sleep of a laptop is not. */
const LEFT_MS = 3_600_000;

/** An item of a scan; null if it has none at this position. */
export async function findItem(
  database: Database,
  scanId: string,
  position: number,
): Promise<Pick<ItemRow, 'position' | 'line' | 'ref' | 'number'> | null> {
  const row = await database.run((queries) =>
    queries<ItemRow>('scan_items')
      .where({ scan_id: scanId, position })
      .first('position', 'line', 'ref', 'number'),
  );
  return row ?? null;
}

/** Notes that a picture came: the page is still there. */
export async function noteUpload(database: Database, scanId: string): Promise<void> {
  await database.run((queries) =>
    queries<ScanRow>('scans').where({ id: scanId }).update({ dealt_at: Date.now() }),
  );
}

/** Cancels those whose page has gone, so that they hold no checks of the quota and no place of another scan. */
export async function cancelLeftUploads(deps: Pick<ScanDeps, 'database' | 'listener'>): Promise<void> {
  const left = await deps.database.run((queries) =>
    queries<ScanRow>('scans')
      .where({ is_uploaded: 1 })
      .whereIn('state', LIVE_STATES)
      .where('dealt_at', '<', Date.now() - LEFT_MS)
      .limit(100)
      .select('id', 'account_id'),
  );
  for (const { id, account_id: accountId } of left)
    await cancelScan(deps, { accountId, id, reason: 'the page that sent its pictures was left' });
}
