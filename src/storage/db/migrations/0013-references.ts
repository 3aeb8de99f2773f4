// Checks that can be found again: the caller's own reference, and the rest of what was answered.
import type { Queries } from '../database.js';

/** Adds both columns, and the index that finds an account's checks by their reference, newest first. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw('alter table checks add column ref text');
  // Members of the answer that have no column of their own, as JSON; null in rows of the version before.
  await queries.raw('alter table checks add column answer text');
  await queries.raw('create index checks_by_reference on checks (account_id, ref, id) where ref is not null');
}
