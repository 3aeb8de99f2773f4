// Adds grey levels of known images. They are compared as a second test, which must confirm a match before it decides a
// verdict.
import type { Queries } from '../database.js';

/** Adds the column: Base64, or null for images that were added before. Those never decide a verdict. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw('alter table known_images add column levels text');
}
