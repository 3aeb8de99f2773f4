// Deletes the corrections of migration 0010, which no version can use any more.
import type { Queries } from '../database.js';

/**
 * Also deletes thresholds fitted to the scores of a correction. If such thresholds are active, `correction_in_force`
 * still names them. The first process that does not find them logs this and returns to the shipped model.
 */
export async function up(queries: Queries): Promise<void> {
  await queries('corrections').whereNull('wanted').orWhereNotNull('adaptation').delete();
}
