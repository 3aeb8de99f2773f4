// Controls the queue's jobs in tests. The jobs of a dead process wait half a minute for its lease to expire,
// which tests skip.
import type { Database } from '../../src/storage/db/database.js';

/** Makes the leases of all running jobs expire, as if the jobs had started long ago. */
export async function endLeases(database: Database): Promise<void> {
  await database.run((queries) =>
    queries.raw(
      `update telltale_jobs.job set started_on = started_on - interval '1 hour' where state = 'active'`,
    ),
  );
}

/** Returns the number of waiting jobs of a kind: not started, waiting for a retry, or not due yet. */
export async function countWaiting(database: Database, { name }: { readonly name: string }): Promise<number> {
  const waiting = await database.run((queries) =>
    queries('telltale_jobs.job').where({ name }).whereIn('state', ['created', 'retry']).pluck('id'),
  );
  return waiting.length;
}
