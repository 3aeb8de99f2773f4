// Tables with a hash in each row, searched for those near to an image: by exact keys, which an index finds, then by all bits.
import {
  countDifferent,
  hashMiddle,
  hashWindows,
  keysOf,
  KEYS,
  SCENE_BITS,
  type SceneHash,
} from '../../base/scene-hash.js';
import type { Database, Queries } from '../../storage/db/database.js';

/** Bits in which two hashes of the same image differ at most. Chosen on the copies of docs/seen.md. */
export const MOST_DIFFERENT = 60;
/** Rows that one key may find. Chosen: bounds the search where an account has sent one image thousands of times. */
const MOST_ROWS = 1000;

/** What is looked for, and what of it is kept. */
export interface Scene {
  readonly middle: SceneHash;
  /** Middles that an image may have which shows the same. */
  readonly windows: readonly SceneHash[];
}

/** A row that is near. */
export interface NearRow {
  readonly id: string;
  /** Share of bits that differ, 0..1. */
  readonly difference: number;
}

/** From the grey levels of a preview; null where the image shows too little to be told from others. */
export function readScene(grey: Uint8Array): Scene | null {
  const middle = hashMiddle(grey);
  return middle && { middle, windows: hashWindows(grey) };
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
  return rows
    .map(({ id, bits }) => ({ id, difference: nearest(readBits(bits), byKey, windows) / SCENE_BITS }))
    .filter(({ difference }) => difference * SCENE_BITS <= MOST_DIFFERENT)
    .sort((one, other) => one.difference - other.difference);
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
): PromiseLike<{ id: string; bits: string }[]> {
  // Numbers that were computed here: thousands of bound values would take longer than the search.
  const selects = byKey.map((groups, at) => {
    const values = [...groups.keys()].join(',');
    const whose = accountId === null ? '' : 'account_id = ? and ';
    return `select * from (select id, bits from ${table} where ${whose}key_${at} in (${values}) limit ${MOST_ROWS}) as by_${at}`;
  });
  const bound = accountId === null ? [] : selects.map(() => accountId);
  return queries.from(queries.raw(`(${selects.join(' union ')}) as found`, bound)).select('id', 'bits');
}

/** A hash as it is kept. */
export function readBits(bits: string): SceneHash {
  return Uint32Array.from({ length: bits.length / 8 }, (_, at) =>
    parseInt(bits.slice(at * 8, at * 8 + 8), 16),
  );
}

/** Bits in which the nearest window differs: of those that share a key first, because most rows are of other images. */
function nearest(hash: SceneHash, byKey: WindowsByKey, windows: readonly SceneHash[]): number {
  const sharing = keysOf(hash).flatMap((key, at) => byKey[at]?.get(key) ?? []);
  const least = leastOf(hash, sharing);
  return least <= 1.5 * MOST_DIFFERENT ? leastOf(hash, windows) : least;
}

function leastOf(hash: SceneHash, windows: readonly SceneHash[]): number {
  let least = SCENE_BITS;
  for (const window of windows) least = Math.min(least, countDifferent(hash, window));
  return least;
}
