// Deletes corrections computed on this machine, which no version from this one on can use.
import type { Queries } from '../database.js';

/**
 * Also deletes thresholds that were fitted to their scores. If one is active, `correction_in_force` still names it;
 * the first process that does not find its row logs this and returns to the shipped model.
 */
export async function up(queries: Queries): Promise<void> {
  await queries('corrections').whereNull('wanted').orWhereNotNull('adaptation').delete();
}
