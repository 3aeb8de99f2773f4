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

/** Drops it, and what was learned by it: what shipped is in force where thresholds were. */
export async function down(queries: Queries): Promise<void> {
  const learned = queries('corrections').whereNotNull('wanted').select('id');
  await queries('correction_in_force').whereIn('correction_id', learned).delete();
  await queries('corrections').whereNotNull('wanted').delete();
  await queries.raw('alter table corrections drop column wanted');
}
