// How often hosts are asked for pictures of scans. Times are milliseconds since 1970 by the database's clock.
import type { Queries } from '../database.js';

/** Makes the table. It stays empty on SQLite, where scans are not offered. */
export async function up(queries: Queries): Promise<void> {
  // A row for each request that a host may have at once.
  await queries.schema.createTable('scan_host_slots', (table) => {
    table.text('host').notNullable();
    table.integer('slot').notNullable();
    table.bigInteger('started_at').notNullable();
    // Later than now while a worker has it, until the worker gives it back or counts as dead.
    table.bigInteger('free_at').notNullable();
    table.primary(['host', 'slot']);
  });
  // Nothing of it is worth a wait for the disk: a server that crashed begins with an empty table.
  if ((queries.client as { dialect: string }).dialect === 'postgresql')
    await queries.raw('alter table scan_host_slots set unlogged');
}
