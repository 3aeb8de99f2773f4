// When a key of records signs, and that it was revoked. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

const COLUMNS = ['signs_from', 'signs_until', 'revoked_at'];

/** Adds the columns. */
export async function up(queries: Queries): Promise<void> {
  await queries.schema.alterTable('record_keys', (table) => {
    // Null if it is not known, or has not come: a version before this one fills none of them.
    for (const column of COLUMNS) table.bigInteger(column);
  });
}
