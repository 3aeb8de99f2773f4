// Adds thumbnails of known images: small JPEGs, or null for images that were added before.
import type { Queries } from '../database.js';

export async function addKnownThumbnails(queries: Queries): Promise<void> {
  await queries.schema.alterTable('known_images', (table) => table.binary('thumbnail'));
}
