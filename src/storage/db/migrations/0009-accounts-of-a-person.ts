// One person may be a member of several accounts. `email` stays unique, for the version before. If another account's
// member has the address there, `email` has the member's id behind it, and `address` is the address alone.
import type { Queries } from '../database.js';

/** Makes the column, the index that keeps a person once in an account, and the table of who has to choose an account. */
export async function up(queries: Queries): Promise<void> {
  // Null in rows of the version before, where `email` is the address.
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
