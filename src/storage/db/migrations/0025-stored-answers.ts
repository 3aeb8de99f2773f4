// Adds the size of the responses stored for Idempotency-Keys, and the expiry of a key before it was rolled. Times are
// milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('stored_answers', (table) => {
    table.text('account_id').notNullable().references('accounts.id');
    // live or sandbox.
    table.text('kind').notNullable();
    // Hours since 1970.
    table.integer('hour').notNullable();
    table.bigInteger('bytes').notNullable();
    table.primary(['account_id', 'kind', 'hour']);
  });
  // 0 for a key without expiry; null if it was never rolled.
  await queries.raw('alter table api_keys add column end_before_roll bigint');
}
