// The queue's jobs, as tests look at them. What a dead process had under way is its own until its lease runs out, after half a
// minute: tests do not wait for that.
import type { Database } from '../../src/storage/db/database.js';

/** Ends the leases of all jobs that are under way, as if they were taken long ago. */
export async function endLeases(database: Database): Promise<void> {
  await database.run((queries) =>
    queries.raw(
      `update telltale_jobs.job set started_on = started_on - interval '1 hour' where state = 'active'`,
    ),
  );
}

/** Jobs of a kind that wait: not taken yet, to be tried again, or not due. */
export async function countWaiting(database: Database, { name }: { readonly name: string }): Promise<number> {
  const waiting = await database.run((queries) =>
    queries('telltale_jobs.job').where({ name }).whereIn('state', ['created', 'retry']).pluck('id'),
  );
  return waiting.length;
}
