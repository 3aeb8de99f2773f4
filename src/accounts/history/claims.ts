// Who took a check for review, so that no two members look at the same one.
import type { Database, Queries } from '../../storage/db/database.js';

/** Whose check it is, and who takes or releases it. */
interface Claim {
  readonly accountId: string;
  readonly id: string;
  /** The member. */
  readonly by: string;
}

/**
 * Takes a check of the account that nobody has, or nobody who is still a member. Of two at once the row decides: false for
 * the other, for who has it already, and where there is no such check.
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

/** Releases a check that the member took, or with `ofAnybody` that another took. False where there is none to release. */
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
