// Creates the table of keys that sign records (evidence about checks). Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('record_keys', (table) => {
    // Counts from 1; the key with the highest number signs. If two processes create the first key concurrently, only
    // one can insert it.
    table.integer('number').primary();
    table.text('public_x').notNullable();
    // Null after a newer key has been created.
    table.text('private_pem');
    table.bigInteger('created_at').notNullable();
  });
}
