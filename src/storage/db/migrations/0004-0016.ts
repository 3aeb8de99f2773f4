// Migrations 0004 to 0016, one function each.
import type { Queries } from '../database.js';

/** Creates the tables of webhooks and their deliveries. Times are milliseconds since 1970 in UTC. */
export async function addWebhooks(queries: Queries): Promise<void> {
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

/** Creates a table that limits how often scans fetch images from one host. Times are milliseconds since 1970 by the database's clock. The table stays empty on SQLite, which does not support scans. */
export async function addScanHosts(queries: Queries): Promise<void> {
  // One row for each of the requests that may run concurrently on a host.
  await queries.schema.createTable('scan_host_slots', (table) => {
    table.text('host').notNullable();
    table.integer('slot').notNullable();
    table.bigInteger('started_at').notNullable();
    // Time when the worker that uses the row releases it or is considered dead; in the past for a free row.
    table.bigInteger('free_at').notNullable();
    table.primary(['host', 'slot']);
  });
  // An unlogged table is faster, and its rows need not survive a crash of the server.
  if ((queries.client as { dialect: string }).dialect === 'postgresql')
    await queries.raw('alter table scan_host_slots set unlogged');
}

/** Adds an index of pending webhook deliveries, because sending an event counts them. */
export async function addPendingDeliveries(queries: Queries): Promise<void> {
  await queries.raw(
    "create index webhook_deliveries_pending on webhook_deliveries (endpoint_id) where state = 'pending'",
  );
}

/** Creates the table of keys that sign records (evidence about checks). Times are milliseconds since 1970 in UTC. */
export async function addRecordKeys(queries: Queries): Promise<void> {
  await queries.schema.createTable('record_keys', (table) => {
    // Counts from 1; the key with the highest number signs. If two processes create the first key concurrently, only
    // one can insert it.
    table.integer('number').primary();
    table.text('public_x').notNullable();
    // Null after a newer key has been created.
    table.text('private_pem');
    table.bigInteger('created_at').notNullable();
  });
}

/** Adds which objects of the operator's bucket an account's scans may read. Beginning of the object names, ending with `/`. Only `/` allows the whole bucket, null allows nothing. */
export async function addScanPrefixes(queries: Queries): Promise<void> {
  await queries.raw('alter table accounts add column scan_prefix text');
}

/**
 * Adds the address column, an index that allows a person once per account, and a table for people who have signed in
 * and must choose an account.
 */
/** Lets one person be a member of several accounts. The previous version needs unique values in `email`. So if another member has the same address, `email` is the address and the member's id, and `address` is only the address. */
export async function addAccountsOfAPerson(queries: Queries): Promise<void> {
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

/** Creates the tables of corrections: changes of the full-image detector learned from an operator's images (removed in 0019). Times are milliseconds since 1970 in UTC. */
export async function addCorrections(queries: Queries): Promise<void> {
  await queries.schema.createTable('corrections', (table) => {
    table.text('id').primary();
    table.text('name').notNullable().unique();
    // `waiting`, `learning`, `ready`, `refused` or `failed`.
    table.text('state').notNullable();
    // 1 while the correction waits or is computed, then null. The unique index allows only one at a time.
    table.integer('at_work').unique();
    table.text('made_by').notNullable();
    table.bigInteger('created_at').notNullable();
    // The process that computes the correction, the end of its lease, and the number of attempts.
    table.text('claim');
    table.bigInteger('claimed_until');
    table.integer('tries').notNullable().defaultTo(0);
    // Number of images processed so far, and of all images.
    table.integer('seen').notNullable().defaultTo(0);
    table.integer('pictures').notNullable().defaultTo(0);
    table.text('reason');
    // Files made by `telltale models adapt`: table and warnings as JSON; card.md, adaptation.json and bands.json.
    table.text('outcome');
    table.text('card');
    table.text('adaptation');
    table.text('bands');
  });
  await queries.schema.createTable('correction_in_force', (table) => {
    // Always 1, so that the table has at most one row. Without a correction, the shipped model is used unchanged.
    table.integer('slot').primary();
    table.text('correction_id');
  });
}

/** Creates a table with one row, which is written to test whether the database accepts writes. Times are milliseconds since 1970 in UTC. */
export async function addWriteProbe(queries: Queries): Promise<void> {
  await queries.schema.createTable('write_probe', (table) => {
    // Always 1, so that the table has only one row.
    table.integer('slot').primary();
    table.bigInteger('written_at').notNullable();
  });
}

const KEY_COLUMNS = ['signs_from', 'signs_until', 'revoked_at'];

/** Adds the period in which a key signs records, and the time when the key was revoked. Times are milliseconds since 1970 in UTC. */
export async function addKeyPeriods(queries: Queries): Promise<void> {
  await queries.schema.alterTable('record_keys', (table) => {
    // Null if unknown or not yet reached. The previous version leaves all three empty.
    for (const column of KEY_COLUMNS) table.bigInteger(column);
  });
}

/** Adds the caller's own reference (`ref`) and the rest of the response to checks, so that they can be read again later. Adds both columns, and an index that finds an account's checks by reference, newest first. */
export async function addReferences(queries: Queries): Promise<void> {
  await queries.raw('alter table checks add column ref text');
  // Fields of the response that have no separate column, as JSON; null in rows of the previous version.
  await queries.raw('alter table checks add column answer text');
  await queries.raw('create index checks_by_reference on checks (account_id, ref, id) where ref is not null');
}

/** Creates the table of networks from which members signed in. Sign-in attempts by strangers can't lock a member out of these networks. */
export async function addSignInNetworks(queries: Queries): Promise<void> {
  await queries.schema.createTable('sign_in_networks', (table) => {
    table.text('member_id').notNullable().references('members.id').onDelete('CASCADE');
    // An IPv4 address, or the first four groups of an IPv6 address.
    table.text('network').notNullable();
    table.bigInteger('seen_at').notNullable().index();
    table.primary(['member_id', 'network']);
  });
}

const NAME_COLUMNS = [
  // File name or short URL of the image; null if the account stores no names.
  'name text',
  // The image's main colours, such as `#aabbcc #ddeeff`; null if unknown.
  'colours text',
  // The reason why a person should look although no detector flagged the image; null if nobody needs to.
  'attention text',
  // A member's note and the result of a review, with the member and the time.
  'note text',
  'status text',
  'noted_by text',
  'noted_at bigint',
];

/** Adds the name, colours and notes of a check to the history. Times are milliseconds since 1970 in UTC. */
export async function addNamesAndNotes(queries: Queries): Promise<void> {
  for (const column of NAME_COLUMNS) await queries.raw(`alter table checks add column ${column}`);
  // A small JPEG of a stored image, deleted with the image; null until somebody viewed it.
  await queries.schema.alterTable('images', (table) => table.binary('thumbnail'));
}

const SCAN_COLUMNS = [
  // The member who started the scan; null if an API key started it.
  'member_id text',
  // Name of the uploaded list of images; null if it has none or the account stores no names.
  'name text',
  // 1 if the browser uploads the images one by one. No worker fetches them then.
  'is_uploaded integer not null default 0',
];

/** Adds columns for scans that members start in the console. Adds the columns, and an index that finds the checks of a scan. The table stays empty on SQLite. */
export async function addScansOfMembers(queries: Queries): Promise<void> {
  for (const column of SCAN_COLUMNS) await queries.raw(`alter table scans add column ${column}`);
  const { client } = (queries.client as { config: { client: string } }).config;
  if (client === 'pg') await queries.raw('alter table scans alter column key_id drop not null');
  await queries.raw(
    "create index checks_by_scan on checks (account_id, request_id) where request_id like 'scn%'",
  );
}
