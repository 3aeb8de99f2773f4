// Whether a scan goes on, asked before each turn and each picture.
import type { Database } from '../../../storage/db/database.js';
import type { ScanDeps } from '../deps.js';
import { cancelScan } from '../end.js';
import { isLive, type ItemRow, type ScanRow } from '../rows.js';
import type { ItemBatch } from '../item-batch.js';

/**
 * The scan of a turn, now running; null if it has ended. One whose key was revoked is cancelled here: people who take
 * a key away want its work to stop, too. A key that expired meanwhile was good when the scan was begun: it goes on.
 */
export async function openScan(deps: ScanDeps, { scanId, accountId }: ItemBatch): Promise<ScanRow | null> {
  const scan = await deps.database.run((queries) =>
    queries<ScanRow & { revoked_at: number | null }>('scans')
      .join('api_keys', 'api_keys.id', 'scans.key_id')
      .where('scans.id', scanId)
      .first<(ScanRow & { revoked_at: number | null }) | undefined>('scans.*', 'api_keys.revoked_at'),
  );
  if (!scan || !isLive(scan)) return null;
  if (scan.revoked_at !== null) {
    await cancelScan(deps, { accountId, id: scanId, reason: 'the API key that began it was revoked' });
    return null;
  }
  if (scan.state === 'queued')
    await deps.database.run((queries) =>
      queries<ScanRow>('scans')
        .where({ id: scanId, state: 'queued' })
        .update({ state: 'running', started_at: Date.now() }),
    );
  return scan;
}

/** The items of a turn that have no answer; those whose check was begun before come last. */
export async function readOpenItems(database: Database, { scanId, from, to }: ItemBatch): Promise<ItemRow[]> {
  return database.run((queries) =>
    queries<ItemRow>('scan_items')
      .where({ scan_id: scanId })
      .whereBetween('position', [from, to])
      .whereNull('number')
      .orderBy(['tries', 'position']),
  );
}

/**
 * Notes that the check of an item begins: a worker that dies in it leaves the note behind. False if there is nothing
 * to check any more: the item has its answer, or the scan has ended or lost its key.
 */
export async function noteTry(database: Database, { scan_id: scanId, position }: ItemRow): Promise<boolean> {
  const count = await database.run((queries) =>
    queries<ItemRow>('scan_items')
      .where({ scan_id: scanId, position })
      .whereNull('number')
      .whereExists(
        queries('scans')
          .join('api_keys', 'api_keys.id', 'scans.key_id')
          .where('scans.id', scanId)
          .where('scans.state', 'running')
          .whereNull('api_keys.revoked_at')
          .select(queries.raw('1')),
      )
      .increment('tries', 1),
  );
  return count === 1;
}
