// Adds the period in which a key signs records, and the time when the key was revoked. Times are milliseconds since
// 1970 in UTC.
import type { Queries } from '../database.js';

const COLUMNS = ['signs_from', 'signs_until', 'revoked_at'];

export async function up(queries: Queries): Promise<void> {
  await queries.schema.alterTable('record_keys', (table) => {
    // Null if unknown or not yet reached. The previous version leaves all three empty.
    for (const column of COLUMNS) table.bigInteger(column);
  });
}
