// Adds the period in which a key signs records, and when it was revoked. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

const COLUMNS = ['signs_from', 'signs_until', 'revoked_at'];

export async function up(queries: Queries): Promise<void> {
  await queries.schema.alterTable('record_keys', (table) => {
    // Null if unknown or in the future; an earlier version fills none of them.
    for (const column of COLUMNS) table.bigInteger(column);
  });
}
