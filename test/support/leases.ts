// The queue's jobs in tests. A dead process keeps its jobs until their lease expires after half a minute. Tests don't
// wait for that.
import type { Database } from '../../src/storage/db/database.js';

/** Ends the leases of all running jobs, as if they had started long ago. */
export async function endLeases(database: Database): Promise<void> {
  await database.run((queries) =>
    queries.raw(
      `update telltale_jobs.job set started_on = started_on - interval '1 hour' where state = 'active'`,
    ),
  );
}

/** Returns the number of waiting jobs of a kind: not started, to be retried or not due. */
export async function countWaiting(database: Database, { name }: { readonly name: string }): Promise<number> {
  const waiting = await database.run((queries) =>
    queries('telltale_jobs.job').where({ name }).whereIn('state', ['created', 'retry']).pluck('id'),
  );
  return waiting.length;
}
