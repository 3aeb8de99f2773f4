// Creates the tables of appeals against verdicts, and of links by which people without an account can appeal.
import type { Queries } from '../database.js';

/** Appeals and links are deleted together with their check. Times are milliseconds since 1970 in UTC. */
export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('appeals', (table) => {
    table.text('id').primary();
    table.text('check_id').notNullable().references('checks.id').onDelete('cascade').index();
    table.text('account_id').notNullable().references('accounts.id').index();
    table.bigInteger('created_at').notNullable();
    // Submitted by: `account` or `link`.
    table.text('by').notNullable();
    table.text('remark').notNullable();
    // Similarity of the original and the checked image, and the detectors' results for the original, as JSON.
    table.text('findings').notNullable();
    // The signed record of the appeal, as JSON. It is signed again with the decision.
    table.text('record').notNullable();
    // `verdict_confirmed` or `verdict_overturned`, with a remark and the member; null before the decision.
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
