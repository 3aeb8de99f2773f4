// Scans that members begin in the console, beside those of keys.
import type { Queries } from '../database.js';

const COLUMNS = [
  // Who began it; null for one by key.
  'member_id text',
  // What its list is called; null where it has no name, or none is kept.
  'name text',
  // 1: a page sends its pictures one by one, so no worker fetches any.
  'is_uploaded integer not null default 0',
];

/** Adds the columns, and the index that finds the checks of a scan. The table stays empty on SQLite. */
export async function up(queries: Queries): Promise<void> {
  for (const column of COLUMNS) await queries.raw(`alter table scans add column ${column}`);
  const { client } = (queries.client as { config: { client: string } }).config;
  if (client === 'pg') await queries.raw('alter table scans alter column key_id drop not null');
  await queries.raw(
    "create index checks_by_scan on checks (account_id, request_id) where request_id like 'scn%'",
  );
}
