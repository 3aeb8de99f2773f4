// Lets one person be a member of several accounts. `email` stays unique for the previous version: if another member
// has the address, `email` is the address followed by the member's id, and `address` is the address alone.
import type { Queries } from '../database.js';

/**
 * Adds the column, an index that allows a person once per account, and the table of people who must choose an account.
 */
export async function up(queries: Queries): Promise<void> {
  // Null in rows written by the previous version; `email` is then the address.
  await queries.raw('alter table members add column address text');
  await queries.raw(
    'create unique index members_of_an_account on members (coalesce(address, email), account_id)',
  );
  await queries.schema.createTable('arrivals', (table) => {
    table.text('token_hash').primary();
    table.text('email').notNullable();
    table.bigInteger('expires_at').notNullable().index();
  });
}
