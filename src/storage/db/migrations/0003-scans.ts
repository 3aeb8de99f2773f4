// Long lists of pictures that are checked in the background. Times are milliseconds since 1970 in UTC, periods YYYY-MM.
import type { Queries } from '../database.js';

/** Makes the tables. They stay empty on SQLite, where scans are not offered. */
export async function up(queries: Queries): Promise<void> {
  // Checks that running scans may still charge; they count against the quota as if they were used.
  await queries.raw('alter table usage_periods add column reserved bigint not null default 0');
  await queries.schema.createTable('scans', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('key_id').notNullable().references('api_keys.id');
    table.text('plan').notNullable();
    // The period that its checks are reserved in and charged to.
    table.text('period').notNullable();
    table.text('profile').notNullable();
    table.text('include').notNullable();
    table.text('state').notNullable();
    // Why it was cancelled.
    table.text('reason');
    table.integer('items').notNullable();
    table.integer('reserved').notNullable();
    // The first item that no turn has been given yet, and when the last turn was given.
    table.integer('next_position').notNullable();
    table.bigInteger('dealt_at').notNullable();
    table.integer('answered').notNullable();
    table.integer('checked').notNullable();
    // Error entries by code, as JSON.
    table.text('errors').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('started_at');
    table.bigInteger('ended_at');
    table.index(['account_id', 'id']);
    table.index(['state', 'ended_at']);
  });
  await queries.schema.createTable('scan_items', (table) => {
    // No foreign key: it would be looked up a million times while a list comes in.
    table.text('scan_id').notNullable();
    table.integer('position').notNullable();
    table.integer('line').notNullable();
    table.text('address');
    table.text('ref');
    // How often a check of it was begun and not ended.
    table.integer('tries').notNullable().defaultTo(0);
    // Null until it is answered; then 1, 2, 3, ... in the order in which the scan's answers were committed.
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
