// Adds which objects of the operator's bucket an account's scans may read.
import type { Queries } from '../database.js';

/** Beginning of the object names, ending with `/`. Only `/` allows the whole bucket, null allows nothing. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw('alter table accounts add column scan_prefix text');
}
