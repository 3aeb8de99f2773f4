// Creates the tables of scans: long lists of images that are checked in the background. Times are milliseconds since
// 1970 in UTC, periods YYYY-MM.
import type { Queries } from '../database.js';

/** The tables stay empty on SQLite, which does not support scans. */
export async function up(queries: Queries): Promise<void> {
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
