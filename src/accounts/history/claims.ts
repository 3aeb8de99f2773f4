// Assigns checks to members for review, so that two members don't review the same one.
import type { Database, Queries } from '../../storage/db/database.js';

interface Claim {
  readonly accountId: string;
  readonly id: string;
  /** Identifier of the member who takes or releases the check. */
  readonly by: string;
}

/**
 * Assigns a check to a member for review. Returns false if another current member has it already, or if the check does
 * not exist. If two members try at the same time, only one succeeds.
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
 * Ends a member's assignment to a check; with `ofAnybody`, the assignment of any member. Returns false if nobody is
 * assigned.
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
