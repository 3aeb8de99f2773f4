// Thresholds that are learned on the machine, beside corrections and in the same table. Moments in JSON are RFC 3339.
import type { Queries } from '../database.js';

/**
 * Adds the column. Thresholds have 2 in `at_work` while they wait or are learned: the version before looks for 1, and
 * would learn a correction in their place. Their `adaptation` is that of the correction that they are for, or null.
 */
export async function up(queries: Queries): Promise<void> {
  // JSON: the aims, and which checks count. Null for a correction.
  await queries.raw('alter table corrections add column wanted text');
}
