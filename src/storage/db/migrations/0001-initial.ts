// Creates the first tables. Times are milliseconds since 1970 in UTC; days are YYYY-MM-DD, periods YYYY-MM.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
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
