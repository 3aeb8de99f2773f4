// Creates a table with one row, which is written to test whether the database accepts writes. Times are milliseconds
// since 1970 in UTC.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('write_probe', (table) => {
    // Always 1, so that the table has only one row.
    table.integer('slot').primary();
    table.bigInteger('written_at').notNullable();
  });
}
