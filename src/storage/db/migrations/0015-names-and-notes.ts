// Adds the name, colours and notes of a check to the history. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

const COLUMNS = [
  // File name or short URL of the image; null if the account stores no names.
  'name text',
  // The image's main colours, such as `#aabbcc #ddeeff`; null if unknown.
  'colours text',
  // The reason why a person should look although no detector fired; null if nobody needs to.
  'attention text',
  // A member's note and the result of a review, with the member and the time.
  'note text',
  'status text',
  'noted_by text',
  'noted_at bigint',
];

export async function up(queries: Queries): Promise<void> {
  for (const column of COLUMNS) await queries.raw(`alter table checks add column ${column}`);
  // A small JPEG of a stored image, deleted with the image; null until somebody viewed it.
  await queries.schema.alterTable('images', (table) => table.binary('thumbnail'));
}
