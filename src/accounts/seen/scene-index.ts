// Searches tables of perceptual hashes for images that look the same. A database index first finds rows that
// share one of four groups of 18 bits with the hash. Then all bits are compared.
import type { Scene, SceneHash } from 'telltale-engine/internal/engine/types.js';
import type { Database, Queries } from '../../storage/db/database.js';

/** Number of bits in a hash. */
const SCENE_BITS = 255;
/**
 * Number of bits in each index key, taken from the lowest frequencies of the hash. Keys of 16 bits would find hardly
 * more copies but three times as many rows.
 */
export const KEY_BITS = 18;
/** Number of index keys for each hash. */
export const KEYS = 4;
/** Maximum number of different bits between two hashes of one image, chosen with the copies in docs/seen.md. */
const MAX_DIFFERENT_BITS = 60;
/**
 * Maximum number of different bits for flat images, such as pages of text, whose hashes differ in few bits even if the
 * texts differ. Chosen so that different texts never match: drawn cards with different texts differ in at least 29
 * bits. Copies of one card differ in up to 30, so a few copies are missed.
 */
const MAX_DIFFERENT_BITS_FLAT = 28;
/** Maximum number of rows found with one index key, in case an account sent an image thousands of times. */
const MAX_ROWS = 2000;
/** Maximum number of rows with the same hash; callers show no more. They belong to one repeated image. */
const MAX_COPIES = 10;

/** A row whose hash is similar to the one searched for. */
export interface NearRow {
  readonly id: string;
  /** Share of bits that differ, from 0 to 1. */
  readonly difference: number;
}

/** Returns the maximum number of bits in which two hashes may differ if both images show the same scene. */
export function maxDifferentBits({ isFlat }: Scene): number {
  return isFlat ? MAX_DIFFERENT_BITS_FLAT : MAX_DIFFERENT_BITS;
}

/** Returns the database columns that store a hash. */
export function columnsOf(hash: SceneHash): Readonly<Record<string, string | number>> {
  const bits = Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('');
  return { bits, ...Object.fromEntries(keysOf(hash).map((key, at) => [`key_${at}`, key])) };
}

/** Returns the rows of a table with a similar hash, the most similar first. `accountId` null: of all accounts. */
export async function findNear(
  database: Database,
  table: 'seen_images' | 'known_images',
  accountId: string | null,
  scene: Scene,
): Promise<NearRow[]> {
  const { windows } = scene;
  const maxDifference = maxDifferentBits(scene);
  const byKey = groupByKey(windows);
  const rows = await database.read((queries) => selectByKeys(queries, table, accountId, byKey));
  const differences = new Map<string, number>();
  // Remembers results by bits, because an image sent thousands of times has thousands of equal rows.
  const compared = new Map<string, number | null>();
  for (const { at, value, id, bits } of rows) {
    const key = `${at} ${value} ${bits}`;
    let difference = compared.get(key);
    if (difference === undefined) {
      const hash = readBits(bits);
      // Compares first only with the hashes that have the same index key, because most rows found are of other images.
      const leastDifference = leastDifferenceOf(hash, byKey[at]?.get(value) ?? []);
      difference = leastDifference <= 1.5 * maxDifference ? leastDifferenceOf(hash, windows) : null;
      compared.set(key, difference);
    }
    if (difference !== null) differences.set(id, difference);
  }
  return [...differences]
    .filter(([, bits]) => bits <= maxDifference)
    .map(([id, bits]) => ({ id, difference: bits / SCENE_BITS }))
    .sort((one, other) => one.difference - other.difference);
}

/** A row found with an index key. A row that has several keys in common appears several times. */
interface FoundRow {
  readonly at: number;
  readonly value: number;
  readonly id: string;
  readonly bits: string;
}

/** For each index key, the hashes of the image (whole and cropped) by the value of that key. */
type WindowsByKey = readonly ReadonlyMap<number, readonly SceneHash[]>[];

function groupByKey(windows: readonly SceneHash[]): WindowsByKey {
  const byKey = Array.from({ length: KEYS }, () => new Map<number, SceneHash[]>());
  for (const window of windows)
    for (const [at, key] of keysOf(window).entries()) {
      const group = byKey[at]?.get(key);
      if (group) group.push(window);
      else byKey[at]?.set(key, [window]);
    }
  return byKey;
}

function selectByKeys(
  queries: Queries,
  table: string,
  accountId: string | null,
  byKey: WindowsByKey,
): PromiseLike<FoundRow[]> {
  // Writes the values into the SQL, because binding thousands of values would take longer than the search. The values
  // are numbers computed here, so there is no risk of injection.
  const selects = byKey.map((groups, at) => {
    const values = [...groups.keys()].join(',');
    const accountCondition = accountId === null ? '' : 'account_id = ? and ';
    return `select * from (select ${at} as at, key_${at} as value, id, bits from ${table} where ${accountCondition}key_${at} in (${values}) limit ${MAX_ROWS}) as by_${at}`;
  });
  const bound = accountId === null ? [] : selects.map(() => accountId);
  const counted = 'select *, row_number() over (partition by at, value, bits order by id desc) as copy from';
  return queries
    .from(queries.raw(`(${counted} (${selects.join(' union all ')}) as found) as counted`, bound))
    .where('copy', '<=', MAX_COPIES)
    .select('at', 'value', 'id', 'bits');
}

/** Converts the hexadecimal digits of a stored hash to a hash. */
export function readBits(bits: string): SceneHash {
  const bytes = Buffer.from(bits, 'hex');
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32BE(4 * at));
}

function leastDifferenceOf(hash: SceneHash, windows: readonly SceneHash[]): number {
  let leastDifference = SCENE_BITS;
  for (const window of windows) leastDifference = Math.min(leastDifference, countDifferentBits(hash, window));
  return leastDifference;
}

/** Returns the number of bits in which two hashes differ. */
export function countDifferentBits(one: SceneHash, other: SceneHash): number {
  let count = 0;
  for (let at = 0; at < one.length; at += 1) count += countOnes((one[at] ?? 0) ^ (other[at] ?? 0));
  return count;
}

/** Counts the ones of a 32-bit number in parallel: in pairs of bits, groups of four, and bytes. */
function countOnes(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Returns the index keys of a hash: integers of KEY_BITS bits. */
export function keysOf(hash: SceneHash): number[] {
  return Array.from({ length: KEYS }, (_, key) => {
    let value = 0;
    for (let bit = key * KEY_BITS; bit < (key + 1) * KEY_BITS; bit += 1)
      value = value * 2 + (((hash[bit >>> 5] ?? 0) >>> (bit & 31)) & 1);
    return value;
  });
}
