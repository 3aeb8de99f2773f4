// People who have signed in with an identity provider and must still choose one of their accounts. The provider has
// verified their e-mail address.
import { isIPv6 } from 'node:net';
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

/**
 * Time for which a member's network is remembered after the last sign-in. A member who was absent longer counts as a
 * stranger.
 */
const KNOWN_MS = 90 * 24 * 3_600_000;

interface NetworkRow {
  member_id: string;
  network: string;
  seen_at: number;
}

/**
 * Returns the network of an address. IPv4: the address itself. IPv6: its /64 as four groups of hexadecimal digits,
 * because one caller usually has a whole /64.
 */
export function networkOf(address: string): string {
  return groupsOf(address)?.slice(0, 4).join(':') ?? plainOf(address);
}

/** Returns the /56 and the /48 around an IPv6 address, which one caller may own. Empty for IPv4. */
export function widerNetworksOf(address: string): readonly string[] {
  const groups = groupsOf(address);
  if (groups === null) return [];
  const [first = '', second = '', third = '', fourth = ''] = groups;
  const upperByte = fourth.padStart(4, '0').slice(0, 2);
  return [`${first}:${second}:${third}:${upperByte}00/56`, `${first}:${second}:${third}/48`];
}

/** Stores that a member signed in from a network. The entry is deleted 90 days after the last sign-in. */
export async function rememberNetwork(database: Database, memberId: string, network: string): Promise<void> {
  const row: NetworkRow = { member_id: memberId, network, seen_at: Date.now() };
  await database.run((queries) =>
    queries<NetworkRow>('sign_in_networks').insert(row).onConflict(['member_id', 'network']).merge(),
  );
}

/** Returns which of these members have signed in from the network. */
export async function membersSeenIn(
  database: Database,
  network: string,
  memberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const seenNetworks = await database.run((queries) =>
    queries<NetworkRow>('sign_in_networks')
      .where({ network })
      .where('seen_at', '>', Date.now() - KNOWN_MS)
      .whereIn('member_id', memberIds)
      .pluck('member_id'),
  );
  return new Set(seenNetworks);
}

/** Deletes networks that were not used for 90 days. */
export async function sweepNetworks(database: Database): Promise<void> {
  await deleteInPieces(database, 'sign_in_networks', (rows) =>
    rows.where('seen_at', '<=', Date.now() - KNOWN_MS),
  );
}

/** Returns the eight groups of an IPv6 address in lower case, without leading zeros; null for any other address. */
function groupsOf(address: string): readonly string[] | null {
  const plain = plainOf(address);
  if (!isIPv6(plain)) return null;
  // The URL parser normalises the address: lower case, no leading zeros, the longest run of zeros as `::`.
  const spelling = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = spelling.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail];
}

/** Removes the zone of a link-local address and converts an IPv4-mapped IPv6 address to IPv4. */
function plainOf(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.replace(/%.*$/, '');
}
