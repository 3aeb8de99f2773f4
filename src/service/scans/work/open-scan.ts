// Reads the state of a scan before each batch and each image.
import type { Database } from '../../../storage/db/database.js';
import { type ScanDeps, type ItemBatch, isLive, type ItemRow, type ScanRow } from '../scan.js';
import { cancelScan } from '../end.js';

/**
 * Returns the running scan of a batch, or null if the scan has ended. Cancels a scan whose key was revoked or
 * whose member was removed. A scan continues if its key expires after the start.
 */
export async function openScan(deps: ScanDeps, { scanId, accountId }: ItemBatch): Promise<BegunScan | null> {
  const scan = await deps.database.run((queries) =>
    queries<BegunScan>('scans')
      .leftJoin('api_keys', 'api_keys.id', 'scans.key_id')
      .leftJoin('members', 'members.id', 'scans.member_id')
      .leftJoin('seen_accounts', 'seen_accounts.account_id', 'scans.account_id')
      .where('scans.id', scanId)
      .first<BegunScan | undefined>(
        'scans.*',
        'api_keys.revoked_at',
        'members.id as present_id',
        'seen_accounts.since as hashes_since',
      ),
  );
  if (!scan || !isLive(scan)) return null;
  const reason = explainEnd(scan);
  if (reason !== null) {
    await cancelScan(deps, { accountId, id: scanId, reason });
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

/** A scan's row with the state of the key or member that started the scan. */
interface BegunScan extends ScanRow {
  readonly revoked_at: number | null;
  /** Member who started the scan, or null if a key started it or the member was removed. */
  readonly present_id: string | null;
  /** Time since which hashes of the account's images are stored, or null. */
  readonly hashes_since: number | null;
}

function explainEnd(scan: BegunScan): string | null {
  if (scan.revoked_at !== null) return 'the API key that started the scan was revoked';
  const isGone = scan.member_id !== null && scan.present_id === null;
  return isGone ? 'the member who started the scan was removed' : null;
}

/** Returns the unfinished items of a batch. Items whose check began before come last. */
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
 * Records that the check of an item begins, so that a crash of the worker can be traced to the item. Returns
 * false if the item has a result or the scan has ended or lost its key or member.
 */
export async function recordAttempt(
  database: Database,
  { scan_id: scanId, position }: ItemRow,
): Promise<boolean> {
  const count = await database.run((queries) =>
    queries<ItemRow>('scan_items')
      .where({ scan_id: scanId, position })
      .whereNull('number')
      .whereExists(
        queries('scans')
          .leftJoin('api_keys', 'api_keys.id', 'scans.key_id')
          .leftJoin('members', 'members.id', 'scans.member_id')
          .where('scans.id', scanId)
          .where('scans.state', 'running')
          .whereNull('api_keys.revoked_at')
          .whereRaw('(scans.member_id is null or members.id is not null)')
          .select(queries.raw('1')),
      )
      .increment('tries', 1),
  );
  return count === 1;
}
