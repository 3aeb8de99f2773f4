// Stores the assessment of each check (`likely_ai`, `unclear`, `no_ai_detected`), from which people see the headline. `is_ai` gives the headline of checks that
// were stored before.
import type { Queries } from '../database.js';

/**
 * Adds the assessment of checks, and of scans the number of checks by assessment as JSON. Both are null in rows that
 * were stored before.
 */
export async function addAssessments(queries: Queries): Promise<void> {
  await queries.raw('alter table checks add column assessment text');
  await queries.raw('alter table scans add column assessments text');
}
