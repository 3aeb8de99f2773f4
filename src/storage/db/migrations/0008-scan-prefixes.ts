// Adds the prefix of the operator's bucket that an account's scans may read.
import type { Queries } from '../database.js';

/** It ends with `/`; `/` alone allows the whole bucket, null allows nothing. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw('alter table accounts add column scan_prefix text');
}
