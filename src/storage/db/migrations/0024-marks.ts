// What accounts were told ahead of trouble, and who took a check for review. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

const COLUMNS = [
  // Per cent of the quota that were told last; 0: none.
  ['usage_periods', 'told_percent', 'integer not null default 0'],
  // Days before its end that were told last; null: none.
  ['api_keys', 'told_days', 'integer'],
  // The member who took it, who may be gone since.
  ['checks', 'claimed_by', 'text'],
  ['checks', 'claimed_at', 'bigint'],
] as const;

/** Adds the columns. */
export async function up(queries: Queries): Promise<void> {
  for (const [table, column, type] of COLUMNS)
    await queries.raw(`alter table ${table} add column ${column} ${type}`);
}
