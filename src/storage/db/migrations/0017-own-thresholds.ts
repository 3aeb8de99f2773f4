// Adds thresholds fitted to an account's own images, in the same table as corrections. Times within JSON are RFC 3339.
import type { Queries } from '../database.js';

/**
 * Thresholds have the value 2 in `at_work` while they wait or are computed. The previous version looks for 1 and would
 * compute a correction instead. Their `adaptation` copies the value of the correction they belong to, or is null.
 */
export async function up(queries: Queries): Promise<void> {
  // JSON: the targets, and which checks are used. Null for a correction.
  await queries.raw('alter table corrections add column wanted text');
}
