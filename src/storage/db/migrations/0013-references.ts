// Adds the caller's own reference (`ref`) and the rest of the response to checks, so that they can be read again
// later.
import type { Queries } from '../database.js';

/** Adds both columns, and an index that finds an account's checks by reference, newest first. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw('alter table checks add column ref text');
  // Fields of the response that have no separate column, as JSON; null in rows of the previous version.
  await queries.raw('alter table checks add column answer text');
  await queries.raw('create index checks_by_reference on checks (account_id, ref, id) where ref is not null');
}
