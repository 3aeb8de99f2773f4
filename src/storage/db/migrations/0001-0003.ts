// Migrations 0001 to 0003, one function each.
import type { Queries } from '../database.js';

/** Creates the first tables. Times are milliseconds since 1970 in UTC; days are YYYY-MM-DD, periods YYYY-MM. */
export async function createTables(queries: Queries): Promise<void> {
  await queries.schema.createTable('accounts', (table) => {
    table.text('id').primary();
    table.text('name').notNullable().unique();
    table.bigInteger('created_at').notNullable();
  });
  await queries.schema.createTable('api_keys', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('name').notNullable();
    table.text('plan').notNullable();
    table.text('scopes').notNullable();
    table.text('hash').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at');
    table.bigInteger('revoked_at');
    table.index(['account_id']);
  });
  await queries.schema.createTable('images', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('sha256').notNullable();
    table.text('format').notNullable();
    table.bigInteger('size_bytes').notNullable();
    // Null until the image file is safely stored. The row is written first, so that no file exists without a row.
    table.bigInteger('stored_at');
    table.bigInteger('expires_at').notNullable().index();
  });
  await queries.raw(
    'create unique index images_content on images (account_id, sha256) where stored_at is not null',
  );
  await queries.schema.createTable('checks', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('plan').notNullable();
    table.text('key_id').notNullable().references('api_keys.id');
    table.text('request_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.integer('is_ai').notNullable();
    table.text('fired').notNullable();
    table.text('profile').notNullable();
    table.text('model').notNullable();
    table.text('bands_version').notNullable();
    table.double('latency_ms').notNullable();
    table.text('image_id');
    table.index(['account_id', 'created_at']);
  });
  await queries.schema.createTable('usage_periods', (table) => {
    table.text('account_id').notNullable().references('accounts.id');
    table.text('plan').notNullable();
    table.text('period').notNullable();
    table.bigInteger('checks').notNullable();
    table.primary(['account_id', 'plan', 'period']);
  });
  await queries.schema.createTable('usage_days', (table) => {
    table.text('account_id').notNullable().references('accounts.id');
    table.text('plan').notNullable();
    table.text('day').notNullable();
    table.bigInteger('checks').notNullable();
    table.primary(['account_id', 'plan', 'day']);
  });
  await queries.schema.createTable('rate_limits', (table) => {
    table.text('account_id').notNullable().references('accounts.id');
    table.text('plan').notNullable();
    table.double('full_at').notNullable();
    table.primary(['account_id', 'plan']);
  });
  await queries.schema.createTable('idempotency_keys', (table) => {
    table.text('account_id').notNullable().references('accounts.id');
    table.text('key').notNullable();
    table.text('fingerprint').notNullable();
    table.text('owner').notNullable();
    // Null while the first request with the key is running.
    table.text('answer');
    table.bigInteger('expires_at').notNullable().index();
    table.primary(['account_id', 'key']);
  });
}

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

/** Creates tables for people who sign in to the console, and columns that it shows. Times are milliseconds since 1970 in UTC. Creates the tables and allows checks without a key. */
export async function addConsole(queries: Queries): Promise<void> {
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

/** Creates the tables of scans: long lists of images that are checked in the background. Times are milliseconds since 1970 in UTC, periods YYYY-MM. The tables stay empty on SQLite, which does not support scans. */
export async function addScans(queries: Queries): Promise<void> {
  // Number of checks that running scans may still charge. They count against the quota like charged checks.
  await queries.raw('alter table usage_periods add column reserved bigint not null default 0');
  await queries.schema.createTable('scans', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('key_id').notNullable().references('api_keys.id');
    table.text('plan').notNullable();
    // The billing period in which the scan's checks are reserved and charged.
    table.text('period').notNullable();
    table.text('profile').notNullable();
    table.text('include').notNullable();
    table.text('state').notNullable();
    // The reason for cancelling the scan.
    table.text('reason');
    table.integer('items').notNullable();
    table.integer('reserved').notNullable();
    // Number of the first item that no worker has received yet, and the time when items were last given to a worker.
    table.integer('next_position').notNullable();
    table.bigInteger('dealt_at').notNullable();
    table.integer('answered').notNullable();
    table.integer('checked').notNullable();
    // Number of errors for each error code, as JSON.
    table.text('errors').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('started_at');
    table.bigInteger('ended_at');
    table.index(['account_id', 'id']);
    table.index(['state', 'ended_at']);
  });
  await queries.schema.createTable('scan_items', (table) => {
    // No foreign key, because it would be checked a million times while a long list is inserted.
    table.text('scan_id').notNullable();
    table.integer('position').notNullable();
    table.integer('line').notNullable();
    table.text('address');
    table.text('ref');
    // Number of times that a check of this item was started without finishing.
    table.integer('tries').notNullable().defaultTo(0);
    // Null until the item has a result; then 1, 2, 3, ... in the order in which results were committed.
    table.integer('number');
    table.text('body');
    table.primary(['scan_id', 'position']);
  });
  await queries.raw(
    'create unique index scan_items_answers on scan_items (scan_id, number) where number is not null',
  );
  await queries.schema.createTable('scan_slots', (table) => {
    table.text('account_id').notNullable().references('accounts.id');
    table.integer('slot').notNullable();
    table.primary(['account_id', 'slot']);
  });
}
