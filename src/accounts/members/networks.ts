// Networks that people sign in from: what counts as one, and which a member came in from before.
import { isIPv6 } from 'node:net';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';

/** Chosen: who comes back from a long absence is a stranger for a moment, and no list of places is kept for ever. */
const KNOWN_MS = 90 * 24 * 3_600_000;

interface NetworkRow {
  member_id: string;
  network: string;
  seen_at: number;
}

/** What one caller has many of counts as one: of IPv6 a /64, in four groups of hexadecimal digits. */
export function networkOf(address: string): string {
  return groupsOf(address)?.slice(0, 4).join(':') ?? plainOf(address);
}

/** The wider networks of an IPv6 address that one caller may have whole, narrower first: its /56 and its /48. None of IPv4. */
export function widerNetworksOf(address: string): readonly string[] {
  const groups = groupsOf(address);
  if (groups === null) return [];
  const [first = '', second = '', third = '', fourth = ''] = groups;
  const upperByte = fourth.padStart(4, '0').slice(0, 2);
  return [`${first}:${second}:${third}:${upperByte}00/56`, `${first}:${second}:${third}/48`];
}

/** Keeps that a member came in from a network, for 90 days from the last time. */
export async function rememberNetwork(database: Database, memberId: string, network: string): Promise<void> {
  const row: NetworkRow = { member_id: memberId, network, seen_at: Date.now() };
  await database.run((queries) =>
    queries<NetworkRow>('sign_in_networks').insert(row).onConflict(['member_id', 'network']).merge(),
  );
}

/** Which of these members came in from the network before. */
export async function whoCameFrom(
  database: Database,
  network: string,
  memberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await database.run((queries) =>
    queries<NetworkRow>('sign_in_networks')
      .where({ network })
      .where('seen_at', '>', Date.now() - KNOWN_MS)
      .whereIn('member_id', memberIds)
      .pluck('member_id'),
  );
  return new Set(found);
}

/** Deletes networks from which nobody came for 90 days. */
export async function sweepNetworks(database: Database): Promise<void> {
  await deleteInPieces(database, 'sign_in_networks', (rows) =>
    rows.where('seen_at', '<=', Date.now() - KNOWN_MS),
  );
}

/** The eight groups of an IPv6 address, lower case and without leading zeros; null of any other. */
function groupsOf(address: string): readonly string[] | null {
  const plain = plainOf(address);
  if (!isIPv6(plain)) return null;
  // In its one spelling: lower case, no leading zeros, the longest run of zeros as `::`.
  const spelling = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = spelling.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail];
}

/** Without the zone of a link-local address, and IPv4 in IPv6 as IPv4. */
function plainOf(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.replace(/%.*$/, '');
}
