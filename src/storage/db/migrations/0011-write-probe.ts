// A row that is written to see whether the tables can be. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

/** Makes the table. */
export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('write_probe', (table) => {
    // Always 1.
    table.integer('slot').primary();
    table.bigInteger('written_at').notNullable();
  });
}
