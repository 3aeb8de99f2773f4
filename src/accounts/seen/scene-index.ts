// Tables with a hash in each row, searched for those near to an image: by exact keys, which an index finds, then by all bits.
import type { Scene, SceneHash } from 'telltale-engine/internal/engine/types.js';
import type { Database, Queries } from '../../storage/db/database.js';

/** Bits of a hash. */
const SCENE_BITS = 255;
/** Bits that a key takes of a hash, the lowest frequencies first. Chosen: 16 find hardly more copies, and three times the rows. */
export const KEY_BITS = 18;
/** Keys of a hash. */
export const KEYS = 4;
/** Bits in which two hashes of the same image differ at most. Chosen on the copies of docs/seen.md. */
export const MOST_DIFFERENT = 60;
/** Rows that one key may find. Chosen: bounds the search where an account has sent one image thousands of times. */
const MOST_ROWS = 2000;

/** A row that is near. */
export interface NearRow {
  readonly id: string;
  /** Share of bits that differ, 0..1. */
  readonly difference: number;
}

/** Columns of a hash. */
export function columnsOf(hash: SceneHash): Readonly<Record<string, string | number>> {
  const bits = Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('');
  return { bits, ...Object.fromEntries(keysOf(hash).map((key, at) => [`key_${at}`, key])) };
}

/** Rows of a table that are near to an image, the nearest first; of one account, or with null of all rows. */
export async function findNear(
  database: Database,
  table: 'seen_images' | 'known_images',
  accountId: string | null,
  { windows }: Scene,
): Promise<NearRow[]> {
  const byKey = groupByKey(windows);
  const rows = await database.run((queries) => selectByKeys(queries, table, accountId, byKey));
  const found = new Map<string, number>();
  for (const { at, value, id, bits } of rows) {
    const hash = readBits(bits);
    // Of those that share the key first, because most rows are of other images.
    const least = leastOf(hash, byKey[at]?.get(value) ?? []);
    if (least <= 1.5 * MOST_DIFFERENT && !found.has(id)) found.set(id, leastOf(hash, windows));
  }
  return [...found]
    .filter(([, bits]) => bits <= MOST_DIFFERENT)
    .map(([id, bits]) => ({ id, difference: bits / SCENE_BITS }))
    .sort((one, other) => one.difference - other.difference);
}

/** A row that has the value of a key, once for each of its keys. */
interface FoundRow {
  readonly at: number;
  readonly value: number;
  readonly id: string;
  readonly bits: string;
}

/** Of each key, the windows that have a value. */
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
  // Numbers that were computed here: thousands of bound values would take longer than the search.
  const selects = byKey.map((groups, at) => {
    const values = [...groups.keys()].join(',');
    const whose = accountId === null ? '' : 'account_id = ? and ';
    return `select * from (select ${at} as at, key_${at} as value, id, bits from ${table} where ${whose}key_${at} in (${values}) limit ${MOST_ROWS}) as by_${at}`;
  });
  const bound = accountId === null ? [] : selects.map(() => accountId);
  return queries.from(queries.raw(`(${selects.join(' union all ')}) as found`, bound)).select();
}

/** A hash as it is kept. */
export function readBits(bits: string): SceneHash {
  const bytes = Buffer.from(bits, 'hex');
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32BE(4 * at));
}

function leastOf(hash: SceneHash, windows: readonly SceneHash[]): number {
  let least = SCENE_BITS;
  for (const window of windows) least = Math.min(least, countDifferent(hash, window));
  return least;
}

/** Bits in which two hashes differ. */
export function countDifferent(one: SceneHash, other: SceneHash): number {
  let count = 0;
  for (let at = 0; at < one.length; at += 1) count += countOnes((one[at] ?? 0) ^ (other[at] ?? 0));
  return count;
}

/** Ones of a 32-bit number, counted side by side: in pairs, in fours, in bytes. */
function countOnes(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** By which an index finds it: numbers of KEY_BITS bits. */
export function keysOf(hash: SceneHash): number[] {
  return Array.from({ length: KEYS }, (_, key) => {
    let value = 0;
    for (let bit = key * KEY_BITS; bit < (key + 1) * KEY_BITS; bit += 1)
      value = value * 2 + (((hash[bit >>> 5] ?? 0) >>> (bit & 31)) & 1);
    return value;
  });
}
