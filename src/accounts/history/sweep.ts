// Deletes old checks from the history.
import { encodeTime } from 'ulid';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import type { Database } from '../../storage/db/database.js';
import { repeatInPieces } from '../../storage/db/pieces.js';

/**
 * Deletes checks older than `days` days with their reports, in small transactions; 0 deletes all. Returns the stored
 * images of the deleted checks. An aborted `signal` stops after the current transaction.
 */
export async function sweepHistory(
  database: Database,
  days: number,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const imageIds = new Set<string>();
  const oldest = `chk_${encodeTime(Date.now() - days * DAY_MS, 10)}`;
  const sweepSome = async (limit: number): Promise<number> => {
    // Identifiers begin with the time, so the primary key's index finds old checks.
    const old = await database.run((queries) =>
      queries<{ id: string; image_id: string | null }>('checks')
        .where('id', '<', oldest)
        .orderBy('id')
        .limit(limit)
        .select('id', 'image_id'),
    );
    const last = old.at(-1);
    if (!last) return 0;
    await database.run((queries) => queries('checks').where('id', '<=', last.id).delete());
    for (const { image_id: id } of old) if (id !== null) imageIds.add(id);
    return old.length;
  };
  await repeatInPieces(sweepSome, database, signal);
  return imageIds;
}
