// What makes a check of the history one that people recognise, and what they note of it. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

const COLUMNS = [
  // Of the file or the address; null where none is kept.
  'name text',
  // Dominant colours, such as `#aabbcc #ddeeff`; null where they are not known.
  'colours text',
  // Why eyes are needed though nothing fired; null where they are not.
  'attention text',
  // What members noted, where the check stands, and who said so when.
  'note text',
  'status text',
  'noted_by text',
  'noted_at bigint',
];

/** Adds the columns. */
export async function up(queries: Queries): Promise<void> {
  for (const column of COLUMNS) await queries.raw(`alter table checks add column ${column}`);
  // A small JPEG of a kept picture, which goes with it; null until somebody looked.
  await queries.schema.alterTable('images', (table) => table.binary('thumbnail'));
}
