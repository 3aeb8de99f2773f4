// Creates the tables of webhooks and their deliveries. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('webhook_endpoints', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable().references('accounts.id');
    table.text('url').notNullable();
    // Names of the events to deliver, separated by commas.
    table.text('events').notNullable();
    table.text('secret').notNullable();
    // The secret before the last rotation. Until `former_secret_until`, deliveries are signed with both secrets.
    table.text('former_secret');
    table.bigInteger('former_secret_until');
    table.bigInteger('created_at').notNullable();
    // Time of the first failed attempt since the last successful delivery; null if that was the last attempt.
    table.bigInteger('failing_since');
    table.bigInteger('disabled_at');
    table.text('disabled_reason');
    table.index(['account_id']);
  });
  await queries.schema.createTable('webhook_deliveries', (table) => {
    table.text('id').primary();
    table.text('endpoint_id').notNullable().references('webhook_endpoints.id').onDelete('CASCADE');
    table.text('event_id').notNullable();
    table.text('type').notNullable();
    table.text('body').notNullable();
    // `pending`, `delivered` or `failed`.
    table.text('state').notNullable();
    // Number of jobs queued for this delivery so far. Only the newest job may attempt it.
    table.integer('turn').notNullable();
    table.integer('tries').notNullable();
    table.integer('last_status');
    table.text('last_error');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_tried_at');
    table.bigInteger('next_try_at');
    // Time after which no attempt is made.
    table.bigInteger('give_up_at').notNullable();
    // Time when the event was delivered or given up; null while the delivery is pending.
    table.bigInteger('ended_at').index();
    table.unique(['endpoint_id', 'event_id']);
  });
}
