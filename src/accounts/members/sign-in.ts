// Signing in with a password. All processes share the limits on attempts.
import { audit } from '../audit.js';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { findMembers, type Member } from './members.js';
import { networkOf, membersSeenIn, widerNetworksOf } from './arrivals.js';
import { isPassword } from './passwords.js';
import type { SignInWay } from './sessions.js';

/** Time in which attempts are counted, beginning with the first attempt. */
const WINDOW_MS = 15 * 60_000;
/** Tolerated difference between the clocks of several processes. */
const SKEW_MS = 60_000;
/**
 * Maximum number of attempts for one member from one network: more than a forgetful person needs. Reaching it locks
 * the member out only in this network.
 */
const TRIES_BY_PAIR = 10;
/** Maximum number of attempts for all members from one network, which may be a whole office. */
const TRIES_BY_NETWORK = 50;
/**
 * Maximum number of attempts from the /56 and from the /48 around an IPv6 address, for one member and for all members.
 * A home or a rented server usually has a /56. A company, or anybody who uses a tunnel broker, has a /48. Only
 * attempts from ten /48 networks together reach TRIES_BY_MEMBER.
 */
const TRIES_BY_WIDER_PAIR = 10;
const TRIES_BY_WIDER_NETWORKS = [100, 200] as const;
/**
 * Maximum number of attempts for one member from all networks. Too few to guess a password, and only an attacker with
 * ten networks can reach it.
 */
const TRIES_BY_MEMBER = 100;

/** Result of an attempt to sign in. */
type SignIn =
  | { readonly kind: 'signed_in'; readonly member: Member }
  /** The password belongs to several memberships, and the request did not choose an account. */
  | { readonly kind: 'several'; readonly members: readonly Member[] }
  /** Wrong password, unknown address or a member without a password; the response is the same for all three. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'too_many_tries'; readonly retryInMs: number };

interface TryRow {
  subject: string;
  tries: number;
  expires_at: number;
}

/**
 * Signs in with a password and counts the attempt. `email` has the form that `readEmail` returns, `address` is the
 * caller's network address. `accountId` chooses the account if the same password belongs to several memberships.
 */
export async function signIn(
  database: Database,
  {
    email,
    password,
    address,
    accountId,
  }: {
    readonly email: string;
    readonly password: string;
    readonly address: string;
    readonly accountId?: string | undefined;
  },
): Promise<SignIn> {
  const network = networkOf(address);
  const { ownLimits, shared } = limitsOf(email, address);
  // Counts the attempt before verifying the password, so that concurrent attempts are counted too. An attempt refused
  // by one limit does not count towards the next limit.
  const refusal = await countTries(database, ownLimits);
  if (refusal !== null) return refuseSignIn(database, { email, address, way: 'password' }, refusal);
  // An attacker in another network can reach these limits. They don't apply to members who signed in from this network
  // before.
  const late = await countTries(database, shared);
  const memberships = await findMembers(database, email);
  const memberIds = memberships.map(({ member }) => member.id);
  const membersOfNetwork =
    late === null ? new Set(memberIds) : await membersSeenIn(database, network, memberIds);
  if (late !== null && membersOfNetwork.size === 0)
    return refuseSignIn(database, { email, address, way: 'password' }, late);
  const { members, otherMatches } = await findByPassword(memberships, membersOfNetwork, password);
  // `otherMatches === 0` is needed because a person with one membership could otherwise keep resetting the count while
  // guessing the password of another membership with the same address.
  if (members.length > 0 && otherMatches === 0) {
    const subjects = [...ownLimits, ...shared]
      .map(([subject]) => subject)
      .filter((name) => name.endsWith(` ${email}`));
    await database.run((queries) => queries<TryRow>('sign_in_tries').whereIn('subject', subjects).delete());
  }
  const open = members.filter((one) => accountId === undefined || one.accountId === accountId);
  const [first, second] = open;
  if (!first) {
    await recordFailure(database, 'sign_in.failed', { email, address, way: 'password' }, memberships);
    return { kind: 'refused' };
  }
  return second ? { kind: 'several', members: open } : { kind: 'signed_in', member: first };
}

/** Facts about an attempt for the audit log. */
interface SignInAttempt {
  /** E-mail address that was entered; empty if it is not a valid address. */
  readonly email: string;
  readonly address: string;
  readonly way: SignInWay;
}

/** Writes only the first refusal of each limit to the audit log, so that an attacker can't fill the log. */
async function refuseSignIn(
  database: Database,
  attempt: SignInAttempt,
  { isFirst, ...refusal }: ExceededLimit,
): Promise<SignIn> {
  if (isFirst)
    await recordFailure(database, 'sign_in.blocked', attempt, await findMembers(database, attempt.email));
  return refusal;
}

/** Writes an audit entry for each account with a member of this e-mail address, or one entry if none has. */
export async function recordFailure(
  database: Database,
  changeName: 'sign_in.failed' | 'sign_in.blocked',
  { email, address, way }: SignInAttempt,
  memberships: Awaited<ReturnType<typeof findMembers>>,
): Promise<void> {
  const accountIds = memberships.map(({ member }) => member.accountId);
  const actor = { kind: 'visitor', name: null, accountId: null, address } as const;
  await database.transaction(async (queries) => {
    for (const accountId of accountIds.length === 0 ? [null] : accountIds)
      await audit(queries, actor, { what: changeName, accountId, subject: email, after: { way } });
  });
}

/** A name under which attempts are counted, and the maximum number of attempts. */
type Limit = readonly [subject: string, tries: number];

/**
 * Returns two groups of limits. `own`: only callers in the same network can reach them. `shared`: callers in other
 * networks can reach them, too.
 */
function limitsOf(
  email: string,
  address: string,
): { readonly ownLimits: readonly Limit[]; readonly shared: readonly Limit[] } {
  const network = networkOf(address);
  const wider = widerNetworksOf(address);
  return {
    ownLimits: [
      [`network ${network}`, TRIES_BY_NETWORK],
      [`pair ${network} ${email}`, TRIES_BY_PAIR],
    ],
    shared: [
      ...wider.map((one, at): Limit => [`network ${one}`, TRIES_BY_WIDER_NETWORKS[at] ?? TRIES_BY_NETWORK]),
      ...wider.map((one): Limit => [`pair ${one} ${email}`, TRIES_BY_WIDER_PAIR]),
      [`member ${email}`, TRIES_BY_MEMBER],
    ],
  };
}

type ExceededLimit = Extract<SignIn, { kind: 'too_many_tries' }> & { readonly isFirst: boolean };

/** Counts an attempt for each limit, up to the first that is exceeded. Returns that limit, or null. */
async function countTries(database: Database, limits: readonly Limit[]): Promise<ExceededLimit | null> {
  for (const [subject, limit] of limits) {
    const { tries, expiresInMs } = await countTry(database, subject);
    if (tries > limit)
      return { kind: 'too_many_tries', retryInMs: expiresInMs, isFirst: tries === limit + 1 };
  }
  return null;
}

/**
 * Tries the password on the memberships in `open`. Returns the memberships that it belongs to, and how many others
 * have a password.
 */
async function findByPassword(
  memberships: Awaited<ReturnType<typeof findMembers>>,
  open: ReadonlySet<string>,
  password: string,
): Promise<{ readonly members: readonly Member[]; readonly otherMatches: number }> {
  const hashed = memberships.filter(({ passwordHash }) => passwordHash !== null);
  // Hashes even if no membership has a password, so that the time does not reveal who has one.
  if (hashed.length === 0) await isPassword(password, null);
  const members: Member[] = [];
  for (const { member, passwordHash } of hashed)
    if (open.has(member.id) && (await isPassword(password, passwordHash))) members.push(member);
  return { members, otherMatches: hashed.length - members.length };
}

async function countTry(
  database: Database,
  subject: string,
): Promise<{ tries: number; expiresInMs: number }> {
  const now = Date.now();
  const latest = now + WINDOW_MS;
  // An end later than any new count could have means that the clock was set back. Such a count starts again; otherwise
  // it would block sign-in until the clock reaches its end.
  const isOver = 'sign_in_tries.expires_at <= ? or sign_in_tries.expires_at > ?';
  const rows = await database.run((queries) =>
    queries<TryRow>('sign_in_tries')
      .insert({ subject, tries: 1, expires_at: latest })
      .onConflict('subject')
      .merge({
        tries: queries.raw(`case when ${isOver} then 1 else sign_in_tries.tries + 1 end`, [
          now,
          latest + SKEW_MS,
        ]),
        expires_at: queries.raw(
          `case when ${isOver} then excluded.expires_at else sign_in_tries.expires_at end`,
          [now, latest + SKEW_MS],
        ),
      })
      .returning(['tries', 'expires_at']),
  );
  const row = rows[0] ?? { tries: 1, expires_at: latest };
  return { tries: row.tries, expiresInMs: row.expires_at - now };
}

/** Deletes counts that have expired. */
export async function sweepTries(database: Database): Promise<void> {
  await deleteInPieces(database, 'sign_in_tries', (rows) => rows.where('expires_at', '<=', Date.now()));
}
