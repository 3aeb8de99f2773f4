// The keys that sign records. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

/** Makes the table. */
export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('record_keys', (table) => {
    // From 1 on: the highest signs. Two processes that make the first key at once want the same number, and one gets it.
    table.integer('number').primary();
    table.text('public_x').notNullable();
    // Null once another key followed.
    table.text('private_pem');
    table.bigInteger('created_at').notNullable();
  });
}
