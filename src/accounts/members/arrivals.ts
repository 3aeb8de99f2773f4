// People who have signed in with an identity provider and must still choose one of their accounts. The provider has
// verified their e-mail address.
import { MEMBER_ADDRESS, readMember, type Member, type MemberRow } from './members.js';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { PAGE_ROWS } from '../page.js';
import { acceptInvitation } from './links.js';
import { hashToken, newToken } from './sessions.js';

/** Maximum time between signing in and choosing an account. */
export const ARRIVAL_MS = 10 * 60_000;

/** An account that the owner of a verified e-mail address can choose. */
interface Entrance {
  readonly accountId: string;
  readonly accountName: string;
  /** True for a member of the account; false if the address has only been invited. */
  readonly isMember: boolean;
}

interface ArrivalRow {
  token_hash: string;
  email: string;
  expires_at: number;
}

/**
 * Returns the accounts that a verified e-mail address is a member of or is invited to, sorted by name, at most a
 * hundred. Leaves out memberships with a password, because the person who set the password may have given somebody
 * else's address.
 */
export async function listEntrances(database: Database, email: string): Promise<Entrance[]> {
  const rows = await database.run((queries) =>
    queries('accounts')
      .leftJoin('members', (join) =>
        join
          .on('members.account_id', 'accounts.id')
          .andOn(queries.raw(`${MEMBER_ADDRESS} = ?`, [email]))
          .andOnNull('members.password_hash'),
      )
      .whereNotNull('members.id')
      .orWhereIn(
        'accounts.id',
        queries('links')
          .where({ email, purpose: 'invitation' })
          .where('expires_at', '>', Date.now())
          .select('account_id'),
      )
      .orderBy('accounts.name')
      .limit(PAGE_ROWS)
      .select<{ id: string; name: string; member: string | null }[]>(
        'accounts.id',
        'accounts.name',
        'members.id as member',
      ),
  );
  return rows.map(({ id, name, member }) => ({
    accountId: id,
    accountName: name,
    isMember: member !== null,
  }));
}

/**
 * Returns the member of an account with a verified e-mail address. Accepts an open invitation if there is one. Returns
 * null if the address is neither a member nor invited.
 */
export async function enterAccount(
  database: Database,
  accountId: string,
  email: string,
): Promise<Member | null> {
  return database.transaction(async (queries) => {
    const invited = await acceptInvitation(queries, database.actor, accountId, email);
    if (invited) return invited;
    const row = await queries<MemberRow>('members')
      .where({ account_id: accountId })
      .whereRaw(`${MEMBER_ADDRESS} = ?`, [email])
      .whereNull('password_hash')
      .first();
    return row ? readMember(row) : null;
  });
}

/**
 * Stores a verified e-mail address until the person has chosen an account. Returns a token for it, which is stored
 * nowhere else.
 */
export async function keepArrival(database: Database, email: string): Promise<string> {
  const token = newToken();
  const row: ArrivalRow = { token_hash: hashToken(token), email, expires_at: Date.now() + ARRIVAL_MS };
  await database.run((queries) => queries<ArrivalRow>('arrivals').insert(row));
  return token;
}

/** Returns the verified e-mail address that belongs to a token; null if the token is unknown or has expired. */
export async function findArrival(database: Database, token: string): Promise<string | null> {
  const row = await database.run((queries) =>
    queries<ArrivalRow>('arrivals')
      .where({ token_hash: hashToken(token) })
      .where('expires_at', '>', Date.now())
      .first(),
  );
  return row?.email ?? null;
}

/** Deletes the token after the person has chosen an account. */
export async function endArrival(database: Database, token: string): Promise<void> {
  await database.run((queries) =>
    queries<ArrivalRow>('arrivals')
      .where({ token_hash: hashToken(token) })
      .delete(),
  );
}

/** Deletes expired tokens. */
export async function sweepArrivals(database: Database): Promise<void> {
  await deleteInPieces(database, 'arrivals', (rows) => rows.where('expires_at', '<=', Date.now()));
}
