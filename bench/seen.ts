// Measures the search for earlier checks of an image among a million scene hashes: `node --import tsx bench/seen.ts
// [--hashes N] [--images FOLDER]`.
// The hashes are mixed from parts of the folder's images (default: synthetic images), so that they are as similar to
// each other as hashes of photographs. A search looks up a crop of another part, which the table contains once. Runs
// on SQLite, and on PostgreSQL if Debian's package is installed.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { columnsOf, findNear, KEY_BITS, KEYS } from '../src/accounts/seen/scene-index.js';
import { createEngine } from '../src/library/engine/native/engine.js';
import type { Engine, Scene, SceneHash } from '../src/library/engine/types.js';
import { openDatabase, type Database, type Queries } from '../src/storage/db/database.js';
import { addIndexes } from '../src/storage/db/migrations/0017-0027.js';
import type { DatabaseSetting } from '../src/config.js';
import { createRandom, makeScene } from './corpus/scene.js';
import { describeMachine } from './machine/machine.js';
import { onEachDatabase } from './programs/telltale.js';
import { median, percentile } from './statistics.js';

const { values } = parseArgs({
  options: { hashes: { type: 'string', default: '1000000' }, images: { type: 'string' } },
});
const HASHES = Number(values.hashes);
const SEARCHES = 300;
const PARTS = 10_000;
const SCENES = 100;
const ROWS_AT_ONCE = 10_000;
const SIDE = 256;
const ACCOUNT = 'acc_bench';

/** Returns random numbers from 0 to 1, the same in each run. */
const draw = createRandom(20_261_127);

const below = (limit: number): number => Math.floor(draw() * limit);

/** Parts of images from which the table's hashes are made and searches are taken. */
interface SearchParts {
  readonly kept: readonly SceneHash[];
  /**
   * Parts to search for. They are not in `kept`. Each has its hash, which the table contains, and a crop to search
   * with.
   */
  readonly searched: readonly { readonly hash: SceneHash; readonly crop: Scene }[];
}

async function openImages(): Promise<Sharp[]> {
  const { images: folder } = values;
  if (folder !== undefined) {
    const names = (await readdir(folder, { recursive: true })).sort();
    return names.filter((name) => /\.(jpe?g|png|webp)$/i.test(name)).map((name) => sharp(join(folder, name)));
  }
  const scenes = Array.from({ length: SCENES }, async (_, seed) => {
    const { data, width, height } = await makeScene({ seed, width: 320, height: 256, portrait: null });
    return sharp(data, { raw: { width, height, channels: 3 } });
  });
  return Promise.all(scenes);
}

async function readParts(engine: Engine): Promise<SearchParts> {
  const images = await openImages();
  const parts = { kept: [] as SceneHash[], searched: [] as { hash: SceneHash; crop: Scene }[] };
  for (const [at, image] of images.entries()) {
    const read = image
      .flatten()
      .greyscale()
      .resize(2 * SIDE, 2 * SIDE, { fit: 'fill' })
      .raw();
    const data = await read.toBuffer().catch(() => null);
    if (!data) continue;
    const whole = { raw: { width: 2 * SIDE, height: 2 * SIDE, channels: 1 } } as const;
    const cut = async (left: number, top: number, size: number): Promise<Scene | null> => {
      const part = sharp(data, whole).extract({ left, top, width: size, height: size });
      return engine.hashScene(await part.png({ compressionLevel: 1 }).toBuffer());
    };
    // Parts to search for come from images that contribute nothing else.
    const isSearched = at % Math.ceil(images.length / SEARCHES) === 0 && images.length >= 2 * SEARCHES;
    const count = isSearched ? 1 : Math.ceil(PARTS / images.length);
    for (let part = 0; part < count; part += 1) {
      const size = SIDE + below(SIDE);
      const [left, top] = [below(2 * SIDE - size), below(2 * SIDE - size)];
      const scene = await cut(left, top, size);
      if (!scene) continue;
      if (!isSearched && (images.length >= 2 * SEARCHES || part > 2)) {
        parts.kept.push(scene.middle);
        continue;
      }
      const less = Math.round(size * 0.05);
      const crop = await cut(left + below(less), top + below(less), size - less);
      if (crop) parts.searched.push({ hash: scene.middle, crop });
    }
  }
  return parts;
}

/**
 * Bits of each key within a hash. A database looks hashes up by these keys. The last mask has the bits that belong to
 * no key.
 */
const MASKS = Array.from({ length: KEYS + 1 }, (_, key) =>
  Uint32Array.from({ length: 8 }, (_word, word) => {
    let mask = 0;
    for (let bit = 0; bit < 32; bit += 1)
      if (Math.min(KEYS, Math.floor((32 * word + bit) / KEY_BITS)) === key) mask |= 1 << bit;
    return mask;
  }),
);

/** Makes a hash by taking each key, and the remaining bits, from a random one of the kept hashes. */
function mix(kept: readonly SceneHash[]): SceneHash {
  const mixed = new Uint32Array(8);
  for (const mask of MASKS) {
    const hash = kept[below(kept.length)] ?? mixed;
    for (let word = 0; word < 8; word += 1)
      mixed[word] = (mixed[word] ?? 0) | ((hash[word] ?? 0) & (mask[word] ?? 0));
  }
  return mixed;
}

/** Creates the table as the migrations do, without foreign keys to checks and accounts. */
async function makeTable(queries: Queries): Promise<void> {
  await queries.schema.createTable('seen_images', (table) => {
    table.text('id').primary();
    table.text('account_id').notNullable();
    table.text('bits').notNullable();
    for (let key = 0; key < KEYS; key += 1) table.integer(`key_${key}`).notNullable();
  });
}

async function insertRows(
  database: Database,
  queries: Queries,
  hashes: readonly SceneHash[],
  from: number,
): Promise<void> {
  const rows = hashes.map((hash, at) => ({
    id: `chk_${String(from + at).padStart(26, '0')}`,
    account_id: ACCOUNT,
    ...columnsOf(hash),
  }));
  const columns = Object.keys(rows[0] ?? {});
  const json = JSON.stringify(rows);
  const source =
    database.dialect === 'sqlite'
      ? `select ${columns.map((column) => `value ->> '${column}'`).join()} from json_each(?)`
      : `select ${columns.join()} from json_populate_recordset(null::seen_images, ?)`;
  await queries.raw(`insert into seen_images (${columns.join()}) ${source}`, [json]);
}

async function fill(database: Database, { kept, searched }: SearchParts): Promise<void> {
  await database.longTransaction(async (queries) => {
    await makeTable(queries);
    await insertRows(
      database,
      queries,
      searched.map(({ hash }) => hash),
      HASHES,
    );
    for (let from = searched.length; from < HASHES; from += ROWS_AT_ONCE) {
      const count = Math.min(ROWS_AT_ONCE, HASHES - from);
      await insertRows(
        database,
        queries,
        Array.from({ length: count }, () => mix(kept)),
        from,
      );
    }
    await addIndexes(queries, 'seen_images', ['account_id']);
  });
  await database.run((queries) =>
    queries.raw(database.dialect === 'sqlite' ? 'analyze' : 'vacuum analyze seen_images'),
  );
}

async function measure(name: string, setting: DatabaseSetting, parts: SearchParts): Promise<void> {
  const database = await openDatabase(setting);
  try {
    const startMs = performance.now();
    await fill(database, parts);
    const filledS = (performance.now() - startMs) / 1000;
    const times: number[] = [];
    let foundCount = 0;
    // The first round is not timed. It only reads the database into memory.
    for (const counts of [false, true])
      for (const [at, { crop }] of parts.searched.entries()) {
        const startMs = performance.now();
        const near = await findNear(database, 'seen_images', ACCOUNT, crop);
        if (!counts) continue;
        times.push(performance.now() - startMs);
        if (near.some(({ id }) => id.endsWith(String(HASHES + at)))) foundCount += 1;
      }
    const at = (percent: number): string => percentile(times, percent).toFixed(2);
    console.log(
      `| ${name} | ${HASHES} | ${at(50)} ms | ${at(99)} ms | ${foundCount} of ${times.length} | ${filledS.toFixed(0)} s |`,
    );
  } finally {
    await database.close();
  }
}

async function measureHashing(engine: Engine): Promise<void> {
  const { data, width, height } = await makeScene({ seed: 1, width: 1024, height: 768, portrait: null });
  const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer();
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 50; round += 1) {
      const startMs = performance.now();
      await work();
      times.push(performance.now() - startMs);
    }
    return median(times);
  };
  const decoding = await timed(() => engine.makePreview(jpeg, { longSidePx: 16 }));
  const hashing = await timed(() => engine.hashScene(jpeg));
  console.log(
    `hashing a JPEG of 1024 x 768 px: median ${hashing.toFixed(2)} ms with decoding (making it 16 px small: ${decoding.toFixed(2)} ms), on a thread of the engine\n`,
  );
}

const engine = await createEngine({ device: 'cpu', threads: 2 });
const parts = await readParts(engine);
const { processor, cores, date } = describeMachine();
console.log(
  `${processor}, ${cores} cores, ${date.slice(0, 10)}; keys of ${parts.kept.length} parts of images, searches for crops of ${parts.searched.length} others\n`,
);
await measureHashing(engine);
await engine.close();
console.log('| database | hashes | median | p99 | found | filled in |\n|---|---|---|---|---|---|');
await onEachDatabase((name, setting) => measure(name, setting, parts));
