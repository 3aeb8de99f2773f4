// Appeals against verdicts, with what was found on the original, and links by which somebody without an account appeals.
import type { Queries } from '../database.js';

/** Makes the tables; their rows go with the check. Times are milliseconds since 1970 in UTC. */
export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('appeals', (table) => {
    table.text('id').primary();
    table.text('check_id').notNullable().references('checks.id').onDelete('cascade').index();
    table.text('account_id').notNullable().references('accounts.id').index();
    table.bigInteger('created_at').notNullable();
    // `account` or `link`.
    table.text('by').notNullable();
    table.text('remark').notNullable();
    // JSON: how the original compares, and what the detectors say of it.
    table.text('findings').notNullable();
    // JSON: signed, anew with the decision.
    table.text('record').notNullable();
    // `upheld` or `overturned`, with a remark, by a member; null while it is open.
    table.text('decision');
    table.text('decision_remark');
    table.bigInteger('decided_at');
    table.text('decided_by');
  });
  await queries.schema.createTable('appeal_links', (table) => {
    table.text('id').primary();
    table.text('token_hash').notNullable().unique();
    table.text('check_id').notNullable().references('checks.id').onDelete('cascade').index();
    table.text('account_id').notNullable().references('accounts.id').index();
    table.bigInteger('expires_at').notNullable().index();
  });
}
