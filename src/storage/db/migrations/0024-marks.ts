// Stores which warnings accounts have received, and which member reviews a check. Times are milliseconds since 1970 in
// UTC.
import type { Queries } from '../database.js';

const COLUMNS = [
  // Percentage of the quota of the last warning; 0 if none was sent.
  ['usage_periods', 'told_percent', 'integer not null default 0'],
  // Days before the key's expiry of the last warning; null if none was sent.
  ['api_keys', 'told_days', 'integer'],
  // The member who reviews the check and may have been removed since.
  ['checks', 'claimed_by', 'text'],
  ['checks', 'claimed_at', 'bigint'],
] as const;

export async function up(queries: Queries): Promise<void> {
  for (const [table, column, type] of COLUMNS)
    await queries.raw(`alter table ${table} add column ${column} ${type}`);
}
