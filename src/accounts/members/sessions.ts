// Sessions of signed-in members. Tokens are random and stored as hashes. A session ends after twelve hours without
// use.
import { audit } from '../audit.js';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { readMember, type Member, type MemberRow } from './members.js';
import { createHash, randomBytes } from 'node:crypto';

/** Time without use after which a session ends. */
const IDLE_MS = 12 * 3_600_000;
/** Minimum time between two updates of the time of last use, so that not every request writes to the database. */
const SEEN_STEP_MS = 60_000;

interface SessionRow {
  token_hash: string;
  member_id: string;
  created_at: number;
  seen_at: number;
}

export interface SignedIn extends Member {
  readonly accountName: string;
  /** Name of the account's plan; null if it has none. */
  readonly planName: string | null;
  /** True if hashes of the account's images are stored. */
  readonly keepsHashes: boolean;
}

/** The way in which a member signed in. */
export type SignInWay = 'password' | 'link' | 'openid';

/** Opens a session and returns its token, which is stored nowhere else. */
export async function openSession(
  database: Database,
  memberId: string,
  signInWay: SignInWay = 'link',
): Promise<string> {
  const token = newToken();
  const now = Date.now();
  const row: SessionRow = {
    token_hash: hashToken(token),
    member_id: memberId,
    created_at: now,
    seen_at: now,
  };
  await database.transaction(async (queries) => {
    await queries<SessionRow>('sessions').insert(row);
    const memberRow = await queries<MemberRow>('members').where({ id: memberId }).first();
    if (!memberRow) return;
    const { email, accountId } = readMember(memberRow);
    const actor = { ...database.actor, kind: 'member', name: email, accountId } as const;
    await audit(queries, actor, {
      what: 'sign_in.succeeded',
      accountId,
      subject: email,
      after: { way: signInWay },
    });
  });
  return token;
}

/** Returns the member who is signed in with this token, or null. Also extends the session. */
export async function findSession(database: Database, token: string): Promise<SignedIn | null> {
  const now = Date.now();
  const hash = hashToken(token);
  const row = await database.run((queries) =>
    queries('sessions')
      .join('members', 'members.id', 'sessions.member_id')
      .join('accounts', 'accounts.id', 'members.account_id')
      .leftJoin('seen_accounts', 'seen_accounts.account_id', 'members.account_id')
      .where('sessions.token_hash', hash)
      .where('sessions.seen_at', '>', now - IDLE_MS)
      .first<FoundRow | undefined>(
        'members.*',
        'sessions.seen_at',
        'accounts.name as account_name',
        'accounts.plan',
        'seen_accounts.since as hashes_since',
      ),
  );
  if (!row) return null;
  if (row.seen_at < now - SEEN_STEP_MS)
    await database.run((queries) =>
      queries<SessionRow>('sessions').where({ token_hash: hash }).update({ seen_at: now }),
    );
  return {
    ...readMember(row),
    accountName: row.account_name,
    planName: row.plan,
    keepsHashes: row.hashes_since !== null,
  };
}

type FoundRow = MemberRow & {
  seen_at: number;
  account_name: string;
  plan: string | null;
  hashes_since: number | null;
};

export async function closeSession(database: Database, token: string): Promise<void> {
  await database.run((queries) =>
    queries<SessionRow>('sessions')
      .where({ token_hash: hashToken(token) })
      .delete(),
  );
}

export async function closeSessions(database: Database, memberId: string): Promise<void> {
  await database.run((queries) => queries<SessionRow>('sessions').where({ member_id: memberId }).delete());
}

/** Deletes sessions that have ended. */
export async function sweepSessions(database: Database): Promise<void> {
  await deleteInPieces(database, 'sessions', (rows) => rows.where('seen_at', '<=', Date.now() - IDLE_MS));
}

/** Returns a new random token of 43 characters that need no escaping in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the SHA-256 of a token. Only this hash is stored. Random tokens of 256 bits don't need a slow hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
