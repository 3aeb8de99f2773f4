// Sessions of signed-in members: opaque, hashed at rest, over after twelve idle hours.
import { audit } from '../audit.js';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { readMember, type Member, type MemberRow } from './members.js';
import { createHash, randomBytes } from 'node:crypto';

/** A session that was not used for this long is over. */
const IDLE_MS = 12 * 3_600_000;
/** How exact the time of the last use is: not every request writes it. */
const SEEN_STEP_MS = 60_000;

interface SessionRow {
  token_hash: string;
  member_id: string;
  created_at: number;
  seen_at: number;
}

/** A member who is signed in. */
export interface SignedIn extends Member {
  readonly accountName: string;
  /** Name of the account's plan; null if it has none yet. */
  readonly planName: string | null;
  /** Whether hashes of the account's images are kept. */
  readonly keepsHashes: boolean;
}

/** How people prove who they are. */
export type SignInWay = 'password' | 'link' | 'openid';

/** Opens a session; gives its token, the only copy. */
export async function openSession(
  database: Database,
  memberId: string,
  way: SignInWay = 'link',
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
    const found = await queries<MemberRow>('members').where({ id: memberId }).first();
    if (!found) return;
    const { email, accountId } = readMember(found);
    const actor = { ...database.actor, kind: 'member', name: email, accountId } as const;
    await audit(queries, actor, { what: 'sign_in.succeeded', accountId, subject: email, after: { way } });
  });
  return token;
}

/** Who is signed in by this token; null if nobody is. Moves the end of the session on. */
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

/** Ends one session. */
export async function closeSession(database: Database, token: string): Promise<void> {
  await database.run((queries) =>
    queries<SessionRow>('sessions')
      .where({ token_hash: hashToken(token) })
      .delete(),
  );
}

/** Ends every session of a member. */
export async function closeSessions(database: Database, memberId: string): Promise<void> {
  await database.run((queries) => queries<SessionRow>('sessions').where({ member_id: memberId }).delete());
}

/** Deletes sessions that are over. */
export async function sweepSessions(database: Database): Promise<void> {
  await deleteInPieces(database, 'sessions', (rows) => rows.where('seen_at', '<=', Date.now() - IDLE_MS));
}

/** A new secret, 43 characters that need no escaping in an address. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The part of a secret that is stored: its SHA-256. It has too many bits for a slow hash to add anything. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
