// Corrections that were learned on the machine, which no version from this one on can apply.
import type { Queries } from '../database.js';

/**
 * Deletes them, and thresholds that were fitted to their scores. Where one is active, `correction_in_force` goes on
 * naming it: the first process that finds no such row says so in its log and goes back to what shipped.
 */
export async function up(queries: Queries): Promise<void> {
  await queries('corrections').whereNull('wanted').orWhereNotNull('adaptation').delete();
}
