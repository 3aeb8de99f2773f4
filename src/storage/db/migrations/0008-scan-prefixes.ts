// What of the operator's bucket an account's scans may read.
import type { Queries } from '../database.js';

/** Adds the column: a prefix with its `/` at the end, `/` alone for the whole bucket, null for nothing. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw('alter table accounts add column scan_prefix text');
}
