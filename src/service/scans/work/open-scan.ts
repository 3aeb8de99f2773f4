// Whether a scan goes on, asked before each turn and each image.
import type { Database } from '../../../storage/db/database.js';
import type { ScanDeps, ItemBatch } from '../deps.js';
import { cancelScan } from '../end.js';
import { isLive, type ItemRow, type ScanRow } from '../scan.js';

/**
 * The scan of a turn, now running; null if it has ended. One whose key was revoked, or whose member was removed, is
 * cancelled here: people who take a key away want its work to stop, too. A key that expired meanwhile was good when the scan was begun: it goes on.
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
  const reason = whyOver(scan);
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

/** A scan with what became of who began it. */
interface BegunScan extends ScanRow {
  readonly revoked_at: number | null;
  /** The member, if there is one and he is still there. */
  readonly present_id: string | null;
  /** Since when hashes of the account's images are kept; null if they are not. */
  readonly hashes_since: number | null;
}

function whyOver(scan: BegunScan): string | null {
  if (scan.revoked_at !== null) return 'the API key that began it was revoked';
  const isGone = scan.member_id !== null && scan.present_id === null;
  return isGone ? 'the member who began it was removed' : null;
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
 * to check any more: the item has its answer, or the scan has ended or lost its key or member.
 */
export async function noteTry(database: Database, { scan_id: scanId, position }: ItemRow): Promise<boolean> {
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
