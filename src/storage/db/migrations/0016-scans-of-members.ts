// Adds columns for scans that members start in the console.
import type { Queries } from '../database.js';

const COLUMNS = [
  // The member who started the scan; null if an API key started it.
  'member_id text',
  // Name of the uploaded list of images; null if it has none or the account stores no names.
  'name text',
  // 1 if the browser uploads the images one by one. No worker fetches them then.
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
