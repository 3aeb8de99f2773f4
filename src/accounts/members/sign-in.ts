// Signing in with a password, with limits on tries that hold over all processes.
import { isIPv6 } from 'node:net';
import type { Database } from '../../storage/db/database.js';
import { findMembers, type Member } from './members.js';
import { isPassword } from './passwords.js';

/** Tries are counted over this time, from the first. */
const WINDOW_MS = 15 * 60_000;
/** Of one member from one network. Chosen: above what a forgetful person needs; who uses them up shuts out himself alone. */
const TRIES_BY_PAIR = 10;
/** Chosen: an office behind one address may have several forgetful people. */
const TRIES_BY_NETWORK = 50;
/** Of one member from everywhere. Chosen: hopeless for a guesser, and takes ten networks to shut a member out by. */
const TRIES_BY_MEMBER = 100;

/** What became of a try. */
export type SignIn =
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
 * Tries a password. `email` is in the form of `readEmail`, `address` the network address of who tries; `accountId` names
 * the account where the person has the password for several.
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
  const [pair, member] = [`pair ${network} ${email}`, `member ${email}`];
  // Counted before the password is looked at, so that guesses sent at once are counted too; what one limit refuses uses
  // up none of the next.
  for (const [subject, limit] of [
    [`network ${network}`, TRIES_BY_NETWORK],
    [pair, TRIES_BY_PAIR],
    [member, TRIES_BY_MEMBER],
  ] as const) {
    const { tries, expiresInMs } = await countTry(database, subject);
    if (tries > limit) return { kind: 'too_many_tries', retryInMs: expiresInMs };
  }
  const { members, others } = await findByPassword(database, email, password);
  // Else who has one membership with this address could guess at another's password for ever.
  if (members.length > 0 && others === 0)
    await database.run((queries) =>
      queries<TryRow>('sign_in_tries').whereIn('subject', [pair, member]).delete(),
    );
  const open = members.filter((one) => accountId === undefined || one.accountId === accountId);
  const [first, second] = open;
  if (!first) return { kind: 'refused' };
  return second ? { kind: 'several', members: open } : { kind: 'signed_in', member: first };
}

/** The memberships of an address with this password, and how many have another one. */
async function findByPassword(
  database: Database,
  email: string,
  password: string,
): Promise<{ readonly members: readonly Member[]; readonly others: number }> {
  const found = (await findMembers(database, email)).filter(({ passwordHash }) => passwordHash !== null);
  // Where there is no password, time tells nobody so.
  if (found.length === 0) await isPassword(password, null);
  const members: Member[] = [];
  for (const { member, passwordHash } of found)
    if (await isPassword(password, passwordHash)) members.push(member);
  return { members, others: found.length - members.length };
}

/** What one caller has many of counts as one: of IPv6 a /64, in four groups of hexadecimal digits. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return address;
  // In its one spelling: lower case, no leading zeros, the longest run of zeros as `::`.
  const spelling = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = spelling.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}

async function countTry(
  database: Database,
  subject: string,
): Promise<{ tries: number; expiresInMs: number }> {
  const now = Date.now();
  const rows = await database.run((queries) =>
    queries<TryRow>('sign_in_tries')
      .insert({ subject, tries: 1, expires_at: now + WINDOW_MS })
      .onConflict('subject')
      .merge({
        tries: queries.raw(
          'case when sign_in_tries.expires_at <= ? then 1 else sign_in_tries.tries + 1 end',
          [now],
        ),
        expires_at: queries.raw(
          'case when sign_in_tries.expires_at <= ? then excluded.expires_at else sign_in_tries.expires_at end',
          [now],
        ),
      })
      .returning(['tries', 'expires_at']),
  );
  const row = rows[0] ?? { tries: 1, expires_at: now + WINDOW_MS };
  return { tries: row.tries, expiresInMs: row.expires_at - now };
}

/** Deletes counts whose time is over. */
export async function sweepTries(database: Database): Promise<void> {
  await database.run((queries) =>
    queries<TryRow>('sign_in_tries').where('expires_at', '<=', Date.now()).delete(),
  );
}
