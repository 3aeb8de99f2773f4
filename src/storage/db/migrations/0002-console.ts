// Creates tables for people who sign in to the console, and columns that it shows. Times are milliseconds since 1970
// in UTC.
import type { Queries } from '../database.js';

/** Columns of `checks` from migration 0001, needed to copy the table on SQLite. */
const CHECK_COLUMNS =
  'id, account_id, plan, key_id, request_id, created_at, is_ai, fired, profile, model, bands_version, latency_ms, image_id';

const NEW_CHECK_COLUMNS = [
  // The member who made the check in the console and may have been removed since; null if a key made it.
  'member_id text',
  'reason text',
  'full_image_score double precision',
  'face_score double precision',
  // The correct verdict according to a person who reported the verdict as wrong.
  'reported_label text',
  'reported_note text',
  'reported_by text',
  'reported_at bigint',
];

/** Creates the tables and allows checks without a key. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw('alter table accounts add column plan text');
  await queries.raw(
    `update accounts set plan = (select plan from api_keys where api_keys.account_id = accounts.id
       order by created_at desc limit 1)`,
  );
  await queries.raw('alter table api_keys add column last_used_at bigint');
  await freeKeyColumn(queries);
  for (const column of NEW_CHECK_COLUMNS) await queries.raw(`alter table checks add column ${column}`);
  await queries.schema.createTable('members', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('email').notNullable().unique();
    table.text('role').notNullable();
    // Null for a member who signs in without a password.
    table.text('password_hash');
    table.bigInteger('created_at').notNullable();
    table.index(['account_id']);
  });
  await queries.schema.createTable('links', (table) => {
    table.text('id').primary();
    table.text('token_hash').notNullable().unique();
    table.text('purpose').notNullable();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('email').notNullable();
    table.text('role').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable().index();
  });
  await queries.schema.createTable('sessions', (table) => {
    table.text('token_hash').primary();
    table.text('member_id').notNullable().references('members.id').onDelete('CASCADE');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('seen_at').notNullable().index();
    table.index(['member_id']);
  });
  await queries.schema.createTable('sign_in_tries', (table) => {
    table.text('subject').primary();
    table.integer('tries').notNullable();
    table.bigInteger('expires_at').notNullable().index();
  });
}

/** SQLite can't remove a constraint from a column, so the table is copied. */
async function freeKeyColumn(queries: Queries): Promise<void> {
  const { client } = (queries.client as { config: { client: string } }).config;
  if (client === 'pg') {
    await queries.raw('alter table checks alter column key_id drop not null');
    return;
  }
  await queries.schema.createTable('checks_copy', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('plan').notNullable();
    table.text('key_id').references('api_keys.id');
    table.text('request_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.integer('is_ai').notNullable();
    table.text('fired').notNullable();
    table.text('profile').notNullable();
    table.text('model').notNullable();
    table.text('bands_version').notNullable();
    table.double('latency_ms').notNullable();
    table.text('image_id');
  });
  await queries.raw(`insert into checks_copy (${CHECK_COLUMNS}) select ${CHECK_COLUMNS} from checks`);
  await queries.schema.dropTable('checks');
  await queries.schema.renameTable('checks_copy', 'checks');
  await queries.schema.alterTable('checks', (table) => table.index(['account_id', 'created_at']));
}
