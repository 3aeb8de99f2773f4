// Assigns checks to members for review, so that two members don't review the same one.
import type { Database, Queries } from '../../storage/db/database.js';

interface Claim {
  readonly accountId: string;
  readonly id: string;
  /** Identifier of the member. */
  readonly by: string;
}

/**
 * Takes a check that no current member has taken. If two members try at the same time, only one succeeds. Returns
 * false for the other one, for a check that is already taken, and if the check does not exist.
 */
export async function claimCheck(database: Database, { accountId, id, by }: Claim): Promise<boolean> {
  const changed = await database.run((queries) =>
    queries('checks')
      .where({ account_id: accountId, id })
      .where(
        (free) =>
          void free.whereNull('claimed_by').orWhereNotIn('claimed_by', selectMembers(queries, accountId)),
      )
      .update({ claimed_by: by, claimed_at: Date.now() }),
  );
  return changed === 1;
}

/**
 * Releases a check that the member took; with `ofAnybody`, one that any member took. Returns false if there is nothing
 * to release.
 */
export async function releaseCheck(
  database: Database,
  { accountId, id, by }: Claim,
  ofAnybody: boolean,
): Promise<boolean> {
  const changed = await database.run((queries) =>
    queries('checks')
      .where({ account_id: accountId, id, ...(!ofAnybody && { claimed_by: by }) })
      .whereNotNull('claimed_by')
      .update({ claimed_by: null, claimed_at: null }),
  );
  return changed === 1;
}

function selectMembers(queries: Queries, accountId: string) {
  return queries('members').where({ account_id: accountId }).select('id');
}
