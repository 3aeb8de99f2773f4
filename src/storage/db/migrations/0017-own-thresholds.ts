// Adds thresholds fitted to an account's own images, in the table `corrections`. Times within JSON are RFC 3339.
import type { Queries } from '../database.js';

/**
 * Thresholds have the value 2 in `at_work` while they wait or are computed; with 1, the previous version would compute
 * a correction instead. Their `adaptation` is copied from the correction on whose scores they are based, or null.
 */
export async function up(queries: Queries): Promise<void> {
  // Wanted false-positive rates and the checks to use, as JSON; null for a correction.
  await queries.raw('alter table corrections add column wanted text');
}
