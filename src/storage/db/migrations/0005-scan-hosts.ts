// Creates a table that limits how often scans fetch images from one host. Times are milliseconds since 1970 by the
// database's clock.
import type { Queries } from '../database.js';

/** The table stays empty on SQLite, which does not support scans. */
export async function up(queries: Queries): Promise<void> {
  // One row for each of the requests that may run concurrently on a host.
  await queries.schema.createTable('scan_host_slots', (table) => {
    table.text('host').notNullable();
    table.integer('slot').notNullable();
    table.bigInteger('started_at').notNullable();
    // Time when the worker that uses the row releases it or is considered dead; in the past for a free row.
    table.bigInteger('free_at').notNullable();
    table.primary(['host', 'slot']);
  });
  // An unlogged table is faster, and its rows need not survive a crash of the server.
  if ((queries.client as { dialect: string }).dialect === 'postgresql')
    await queries.raw('alter table scan_host_slots set unlogged');
}
