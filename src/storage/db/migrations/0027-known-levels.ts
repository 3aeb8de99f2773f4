// Grey levels of known images, for the comparison that must confirm a match before it decides.
import type { Queries } from '../database.js';

/** Adds the column: base64; null for images that were added before, which therefore never decide. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw('alter table known_images add column levels text');
}
