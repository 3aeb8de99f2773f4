// Arrivals: people whose address somebody else has verified, and the accounts that are open to them.
import { MEMBER_ADDRESS, readMember, type Member, type MemberRow } from './members.js';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { PAGE_ROWS } from '../page.js';
import { acceptInvitation } from './links.js';
import { hashToken, newToken } from './sessions.js';

/** How long a person may take to choose. */
export const ARRIVAL_MS = 10 * 60_000;

/** An account that is open to a verified address. */
interface Entrance {
  readonly accountId: string;
  readonly accountName: string;
  /** False if it invites only. */
  readonly isMember: boolean;
}

interface ArrivalRow {
  token_hash: string;
  email: string;
  expires_at: number;
}

/**
 * The accounts that a verified address is a member of, or invited by, by name; a hundred at most. A membership with a password is none:
 * the person who set it may have claimed the address of somebody else.
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
 * The member of an account by a verified address, who follows its invitation if there is one; null if it is closed.
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

/** Keeps a verified address until its person has chosen; gives the only copy of the token. */
export async function keepArrival(database: Database, email: string): Promise<string> {
  const token = newToken();
  const row: ArrivalRow = { token_hash: hashToken(token), email, expires_at: Date.now() + ARRIVAL_MS };
  await database.run((queries) => queries<ArrivalRow>('arrivals').insert(row));
  return token;
}

/** The verified address behind a token; null if it is unknown or its time is over. */
export async function findArrival(database: Database, token: string): Promise<string | null> {
  const row = await database.run((queries) =>
    queries<ArrivalRow>('arrivals')
      .where({ token_hash: hashToken(token) })
      .where('expires_at', '>', Date.now())
      .first(),
  );
  return row?.email ?? null;
}

/** The choice is made. */
export async function endArrival(database: Database, token: string): Promise<void> {
  await database.run((queries) =>
    queries<ArrivalRow>('arrivals')
      .where({ token_hash: hashToken(token) })
      .delete(),
  );
}

/** Deletes arrivals whose time is over. */
export async function sweepArrivals(database: Database): Promise<void> {
  await deleteInPieces(database, 'arrivals', (rows) => rows.where('expires_at', '<=', Date.now()));
}
