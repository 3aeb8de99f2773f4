// What images show, as hashes: of the checks of accounts that chose it, and of images that the operator knows.
import type { Knex } from 'knex';
import type { Queries } from '../database.js';

/** Numbers by which an index finds near hashes, see src/accounts/seen/scene-index.ts. */
const KEYS = ['key_0', 'key_1', 'key_2', 'key_3'];

function addHash(table: Knex.CreateTableBuilder): void {
  // Hexadecimal digits.
  table.text('bits').notNullable();
  for (const key of KEYS) table.integer(key).notNullable();
}

/** An index of each key, which has all that a search reads: the rows themselves lie anywhere. */
export async function addIndexes(queries: Queries, name: string, whose: readonly string[]): Promise<void> {
  await queries.schema.alterTable(name, (table) => {
    for (const key of KEYS) table.index([...whose, key, 'bits', 'id'], `${name}_${key}_index`);
  });
}

/** Makes the tables. */
export async function up(queries: Queries): Promise<void> {
  // Accounts that chose it.
  await queries.schema.createTable('seen_accounts', (table) => {
    table.text('account_id').primary().references('accounts.id');
    table.bigInteger('since').notNullable();
  });
  await queries.schema.createTable('seen_images', (table) => {
    // Of the check: the hash is deleted with it.
    table.text('id').primary().references('checks.id').onDelete('cascade');
    table.text('account_id').notNullable().references('accounts.id');
    addHash(table);
  });
  await addIndexes(queries, 'seen_images', ['account_id']);
  await queries.schema.createTable('known_images', (table) => {
    table.text('id').primary();
    table.text('label').notNullable();
    table.text('note').notNullable();
    table.text('source');
    table.bigInteger('created_at').notNullable();
    addHash(table);
  });
  await addIndexes(queries, 'known_images', []);
}
