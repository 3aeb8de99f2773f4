// Signing in with a password, with limits on tries that hold over all processes.
import { audit } from '../audit.js';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { findMembers, type Member } from './members.js';
import { networkOf, whoCameFrom, widerNetworksOf } from './networks.js';
import { isPassword } from './passwords.js';
import type { SignInWay } from './sessions.js';

/** Tries are counted over this time, from the first. */
const WINDOW_MS = 15 * 60_000;
/** How far the clocks of processes may be apart, and statements may wait for each other. */
const SKEW_MS = 60_000;
/** Of one member from one network. Chosen: above what a forgetful person needs; who uses them up shuts out himself alone. */
const TRIES_BY_PAIR = 10;
/** Chosen: an office behind one address may have several forgetful people. */
const TRIES_BY_NETWORK = 50;
/**
 * Of one member, and of all, from the /56 and the /48 that an IPv6 network is part of. A home or a rented server has
 * the one; a firm, or anybody who asks a tunnel broker, the other. Chosen: several forgetful people, and ten /48 to one
 * member's hundred.
 */
const TRIES_BY_WIDER_PAIR = 10;
const TRIES_BY_WIDER_NETWORKS = [100, 200] as const;
/** Of one member from everywhere. Chosen: hopeless for a guesser, and takes ten networks to shut a stranger out by. */
const TRIES_BY_MEMBER = 100;

/** What became of a try. */
type SignIn =
  | { readonly kind: 'signed_in'; readonly member: Member }
  /** The password is that of several memberships, and none was named. */
  | { readonly kind: 'several'; readonly members: readonly Member[] }
  /** Wrong password, unknown address, or a member without a password: it reads the same. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'too_many_tries'; readonly retryInMs: number };

interface TryRow {
  subject: string;
  tries: number;
  expires_at: number;
}

/**
 * Tries a password. `email` is in the form of `readEmail`, `address` the network address of the person who tries.
 * `accountId` names the account if the person has the password for several.
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
  const { own, shared } = limitsOf(email, address);
  // Counted before the password is looked at, so that guesses sent at once are counted too. A try that one limit
  // refuses uses up none of the next.
  const refusal = await countTries(database, own);
  if (refusal !== null) return block(database, { email, address, way: 'password' }, refusal);
  // What strangers use up, too, keeps nobody out of a membership whose member came in from this network before.
  const late = await countTries(database, shared);
  const found = await findMembers(database, email);
  const memberIds = found.map(({ member }) => member.id);
  const known = late === null ? new Set(memberIds) : await whoCameFrom(database, network, memberIds);
  if (late !== null && known.size === 0) return block(database, { email, address, way: 'password' }, late);
  const { members, others } = await findByPassword(found, known, password);
  // Else who has one membership with this address could guess at another's password for ever.
  if (members.length > 0 && others === 0) {
    const subjects = [...own, ...shared]
      .map(([subject]) => subject)
      .filter((name) => name.endsWith(` ${email}`));
    await database.run((queries) => queries<TryRow>('sign_in_tries').whereIn('subject', subjects).delete());
  }
  const open = members.filter((one) => accountId === undefined || one.accountId === accountId);
  const [first, second] = open;
  if (!first) {
    await noteFailure(database, 'sign_in.failed', { email, address, way: 'password' }, found);
    return { kind: 'refused' };
  }
  return second ? { kind: 'several', members: open } : { kind: 'signed_in', member: first };
}

/** Whose try it was. */
interface Tried {
  /** Empty for a text that is no address. */
  readonly email: string;
  readonly address: string;
  readonly way: SignInWay;
}

/** The first refusal by a used up limit is written down, those after it are not: nobody fills the log. */
async function block(database: Database, tried: Tried, { isFirst, ...refusal }: UsedUp): Promise<SignIn> {
  if (isFirst)
    await noteFailure(database, 'sign_in.blocked', tried, await findMembers(database, tried.email));
  return refusal;
}

/** An entry for each account that has a member with this address, or one for none. */
export async function noteFailure(
  database: Database,
  what: 'sign_in.failed' | 'sign_in.blocked',
  { email, address, way }: Tried,
  found: Awaited<ReturnType<typeof findMembers>>,
): Promise<void> {
  const accountIds = found.map(({ member }) => member.accountId);
  const actor = { kind: 'visitor', name: null, accountId: null, address } as const;
  await database.transaction(async (queries) => {
    for (const accountId of accountIds.length === 0 ? [null] : accountIds)
      await audit(queries, actor, { what, accountId, subject: email, after: { way } });
  });
}

/** The things that are counted, and how often each may be tried. */
type Limit = readonly [subject: string, tries: number];

/** The limits that nobody but those in the caller's own network use up, and those that strangers do, too. */
function limitsOf(
  email: string,
  address: string,
): { readonly own: readonly Limit[]; readonly shared: readonly Limit[] } {
  const network = networkOf(address);
  const wider = widerNetworksOf(address);
  return {
    own: [
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

type UsedUp = Extract<SignIn, { kind: 'too_many_tries' }> & { readonly isFirst: boolean };

/** Counts a try by each limit up to the first that is used up, which refuses it; null if none does. */
async function countTries(database: Database, limits: readonly Limit[]): Promise<UsedUp | null> {
  for (const [subject, limit] of limits) {
    const { tries, expiresInMs } = await countTry(database, subject);
    if (tries > limit)
      return { kind: 'too_many_tries', retryInMs: expiresInMs, isFirst: tries === limit + 1 };
  }
  return null;
}

/** Which of the `open` memberships have this password, and how many of all found have another one or were not tried. */
async function findByPassword(
  found: Awaited<ReturnType<typeof findMembers>>,
  open: ReadonlySet<string>,
  password: string,
): Promise<{ readonly members: readonly Member[]; readonly others: number }> {
  const hashed = found.filter(({ passwordHash }) => passwordHash !== null);
  // If there is no password, time tells nobody so.
  if (hashed.length === 0) await isPassword(password, null);
  const members: Member[] = [];
  for (const { member, passwordHash } of hashed)
    if (open.has(member.id) && (await isPassword(password, passwordHash))) members.push(member);
  return { members, others: hashed.length - members.length };
}

async function countTry(
  database: Database,
  subject: string,
): Promise<{ tries: number; expiresInMs: number }> {
  const now = Date.now();
  const latest = now + WINDOW_MS;
  // A count that ends later than any of this moment can was begun before the clock was set back: it would hold for as long.
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

/** Deletes counts whose time is over. */
export async function sweepTries(database: Database): Promise<void> {
  await deleteInPieces(database, 'sign_in_tries', (rows) => rows.where('expires_at', '<=', Date.now()));
}
