// Adds columns for scans that members start in the console.
import type { Queries } from '../database.js';

const COLUMNS = [
  // The member who started it; null if it was started with a key.
  'member_id text',
  // Name of its list; null if it has none or names are not kept.
  'name text',
  // 1: the page uploads the images one by one, so no worker fetches any.
  'is_uploaded integer not null default 0',
];

/** Adds the columns, and an index that finds the checks of a scan. The table stays empty on SQLite. */
export async function up(queries: Queries): Promise<void> {
  for (const column of COLUMNS) await queries.raw(`alter table scans add column ${column}`);
  const { client } = (queries.client as { config: { client: string } }).config;
  if (client === 'pg') await queries.raw('alter table scans alter column key_id drop not null');
  await queries.raw(
    "create index checks_by_scan on checks (account_id, request_id) where request_id like 'scn%'",
  );
}
