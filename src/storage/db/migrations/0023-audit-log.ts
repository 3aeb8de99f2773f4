// The audit log: who changed what. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

/** Makes the table. */
export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('audit_log', (table) => {
    // Begins with its time.
    table.text('id').primary();
    // Whose account was changed; null for what concerns the installation. Refers to nothing: the version before deletes
    // accounts without looking here.
    table.text('account_id');
    table.text('what').notNullable();
    table.text('subject').notNullable();
    table.text('actor_kind').notNullable();
    table.text('actor_name');
    table.text('actor_account_id');
    table.text('address');
    // JSON objects.
    table.text('before');
    table.text('after');
    table.bigInteger('created_at').notNullable();
    table.index(['account_id', 'id']);
  });
}
