// Deliveries that wait are counted at each event: by an index of their own, not among all that the log keeps.
import type { Queries } from '../database.js';

/** Makes the index. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw(
    "create index webhook_deliveries_pending on webhook_deliveries (endpoint_id) where state = 'pending'",
  );
}
