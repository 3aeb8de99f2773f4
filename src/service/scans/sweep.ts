// Deletes what nobody is to read any more: scans past their days, and lists that never became a scan.
import type { Database } from '../../storage/db/database.js';
import { discardScan } from './create-items.js';
import type { ScanRow } from './rows.js';

const DAY_MS = 86_400_000;
/** Longer than any list takes to come in. */
const UNFINISHED_MS = 3_600_000;

/** Deletes scans that ended more than `days` ago. */
export async function sweepScans(database: Database, days: number): Promise<void> {
  const now = Date.now();
  const ids = await database.run((queries) =>
    queries<ScanRow>('scans')
      .where('ended_at', '<', now - days * DAY_MS)
      .orWhere((unfinished) => {
        void unfinished.where({ state: 'receiving' }).where('created_at', '<', now - UNFINISHED_MS);
      })
      .limit(100)
      .pluck('id'),
  );
  for (const id of ids) await discardScan(database, id);
}
