// Creates the audit log. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('audit_log', (table) => {
    // Begins with the time, so that entries can be sorted and deleted by time.
    table.text('id').primary();
    // The account that was changed; null if the change concerns the whole installation. Without a foreign key, because
    // the previous version deletes accounts but not their audit entries.
    table.text('account_id');
    table.text('what').notNullable();
    table.text('subject').notNullable();
    table.text('actor_kind').notNullable();
    table.text('actor_name');
    table.text('actor_account_id');
    table.text('address');
    // Properties before and after the change, as JSON objects.
    table.text('before');
    table.text('after');
    table.bigInteger('created_at').notNullable();
    table.index(['account_id', 'id']);
  });
}
