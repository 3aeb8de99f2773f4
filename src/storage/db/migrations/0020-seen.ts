// Creates the tables of perceptual hashes: of checked images, for accounts that store them, and of images known to the
// operator.
import type { Knex } from 'knex';
import type { Queries } from '../database.js';

/** Columns of the index that finds similar hashes, see src/accounts/seen/scene-index.ts. */
const KEYS = ['key_0', 'key_1', 'key_2', 'key_3'];

function addHash(table: Knex.CreateTableBuilder): void {
  // The hash as hexadecimal digits.
  table.text('bits').notNullable();
  for (const key of KEYS) table.integer(key).notNullable();
}

/** Adds an index for each key, with all columns that a search reads, so that it need not read the rows. */
export async function addIndexes(queries: Queries, name: string, whose: readonly string[]): Promise<void> {
  await queries.schema.alterTable(name, (table) => {
    for (const key of KEYS) table.index([...whose, key, 'bits', 'id'], `${name}_${key}_index`);
  });
}

export async function up(queries: Queries): Promise<void> {
  // Accounts that store perceptual hashes.
  await queries.schema.createTable('seen_accounts', (table) => {
    table.text('account_id').primary().references('accounts.id');
    table.bigInteger('since').notNullable();
  });
  await queries.schema.createTable('seen_images', (table) => {
    // The check's identifier. The hash is deleted together with the check.
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
