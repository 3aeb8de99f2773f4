// Limits how often scans request images from one host. Times are milliseconds since 1970 by the database's clock.
import type { Queries } from '../database.js';

/** The table stays empty on SQLite, which does not support scans. */
export async function up(queries: Queries): Promise<void> {
  // One row for each request that may run on a host at the same time.
  await queries.schema.createTable('scan_host_slots', (table) => {
    table.text('host').notNullable();
    table.integer('slot').notNullable();
    table.bigInteger('started_at').notNullable();
    // In the future while a worker uses the slot: until the worker releases it or is considered dead.
    table.bigInteger('free_at').notNullable();
    table.primary(['host', 'slot']);
  });
  // Not written to the log: nothing in it needs to survive a crash of the server.
  if ((queries.client as { dialect: string }).dialect === 'postgresql')
    await queries.raw('alter table scan_host_slots set unlogged');
}
