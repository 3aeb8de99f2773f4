// Counts the size of the responses stored for Idempotency-Keys, and stores the expiry of an API key before it was
// rolled (renewed).
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('stored_answers', (table) => {
    table.text('account_id').notNullable().references('accounts.id');
    // `live` or `sandbox`.
    table.text('kind').notNullable();
    // Hours since 1970. Sizes are counted per hour.
    table.integer('hour').notNullable();
    table.bigInteger('bytes').notNullable();
    table.primary(['account_id', 'kind', 'hour']);
  });
  // Milliseconds since 1970; 0 for a key without expiry; null if the key was never rolled.
  await queries.raw('alter table api_keys add column end_before_roll bigint');
}
