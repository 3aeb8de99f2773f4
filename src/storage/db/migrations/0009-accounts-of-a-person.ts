// Lets one person be a member of several accounts. The previous version needs unique values in `email`. So if another
// member has the same address, `email` is the address and the member's id, and `address` is only the address.
import type { Queries } from '../database.js';

/**
 * Adds the address column, an index that allows a person once per account, and a table for people who have signed in
 * and must choose an account.
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
