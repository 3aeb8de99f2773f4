// Stores the assessment of each check, from which people see the headline. `is_ai` gives the headline of checks that
// were stored before.
import type { Queries } from '../database.js';

/** Adds the column: `likely_ai`, `unclear`, `no_ai_detected`, or null for checks that were stored before. */
export async function addAssessments(queries: Queries): Promise<void> {
  await queries.raw('alter table checks add column assessment text');
}
