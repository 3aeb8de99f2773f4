// Adds which warnings accounts have received, and which member took a check for review. Times are milliseconds since
// 1970 in UTC.
import type { Queries } from '../database.js';

const COLUMNS = [
  // Percentage of the quota that was last reported; 0: none.
  ['usage_periods', 'told_percent', 'integer not null default 0'],
  // Days before the key's expiry that were last reported; null: none.
  ['api_keys', 'told_days', 'integer'],
  // The member who took it, who may no longer exist.
  ['checks', 'claimed_by', 'text'],
  ['checks', 'claimed_at', 'bigint'],
] as const;

export async function up(queries: Queries): Promise<void> {
  for (const [table, column, type] of COLUMNS)
    await queries.raw(`alter table ${table} add column ${column} ${type}`);
}
