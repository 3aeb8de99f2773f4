// Adds an index of pending webhook deliveries, because sending an event counts them.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.raw(
    "create index webhook_deliveries_pending on webhook_deliveries (endpoint_id) where state = 'pending'",
  );
}
