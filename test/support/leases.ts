// What a dead process had under way is its own until its lease runs out, after half a minute. Tests do not wait for that.
import type { Database } from '../../src/storage/db/database.js';

/** Ends the leases of all jobs that are under way, as if they were taken long ago. */
export async function endLeases(database: Database): Promise<void> {
  await database.run((queries) =>
    queries.raw(
      `update telltale_queue.job set started_on = started_on - interval '1 hour' where state = 'active'`,
    ),
  );
}
