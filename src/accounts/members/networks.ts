// Remembers from which networks members signed in, so that the limits on sign-in attempts can tell members from
// strangers.
import { isIPv6 } from 'node:net';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';

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
