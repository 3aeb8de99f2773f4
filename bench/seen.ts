// How long a search for earlier checks of an image takes among a million hashes: `node --import tsx bench/seen.ts [--hashes N]
// [--images FOLDER]`. The hashes are of mixtures of the images of the folder (default: scenes of the corpus), whose bits are
// as uneven as those of photographs; searches are for crops of images that are there. On SQLite, and on PostgreSQL where
// Debian's package is installed.
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { columnsOf, findNear, readScene, type Scene } from '../src/accounts/seen/scene-index.js';
import { hashMiddle } from '../src/base/scene-hash.js';
import { openDatabase, type Database } from '../src/storage/db/database.js';
import type { DatabaseSetting } from '../src/config.js';
import { findPostgres, startPostgres } from '../test/support/postgres.js';
import { makeScene } from './corpus/scene.js';
import { describeMachine } from './machine/machine.js';

const { values } = parseArgs({
  options: { hashes: { type: 'string', default: '1000000' }, images: { type: 'string' } },
});
const HASHES = Number(values.hashes);
const SEARCHES = 300;
const SCENES = 40;
const ROWS_AT_ONCE = 1000;
const SIDE = 64;
const ACCOUNT = 'acc_bench';

/** Numbers from 0 to 1, the same in each run (Lehmer). */
let state = 20_261_127;
function draw(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;

/** Grey levels of parts of an image: mixtures of them are as many images as are wanted. */
async function readLevels(image: Sharp): Promise<Uint8Array[]> {
  const { data, info } = await image
    .greyscale()
    .resize(256, 256, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const parts = Array.from({ length: 8 }, async () => {
    const size = 128 + Math.floor(draw() * 128);
    const left = Math.floor(draw() * (256 - size));
    const top = Math.floor(draw() * (256 - size));
    return sharp(data, { raw: { width: 256, height: 256, channels: info.channels } })
      .extract({ left, top, width: size, height: size })
      .flop(draw() < 0.5)
      .resize(SIDE, SIDE, { fit: 'fill' })
      .greyscale()
      .raw()
      .toBuffer();
  });
  return Promise.all(parts);
}

async function readImages(): Promise<Uint8Array[]> {
  const { images: folder } = values;
  if (folder === undefined) {
    const scenes = Array.from({ length: SCENES }, async (_, seed) => {
      const { data, width, height } = await makeScene({ seed, width: 320, height: 256, portrait: null });
      return readLevels(sharp(data, { raw: { width, height, channels: 3 } }));
    });
    return (await Promise.all(scenes)).flat();
  }
  const levels: Uint8Array[] = [];
  for (const name of (await readdir(folder, { recursive: true })).sort())
    if (/\.(jpe?g|png|webp)$/i.test(name))
      levels.push(...(await readLevels(sharp(join(folder, name))).catch(() => [])));
  return levels;
}

function mix(levels: readonly Uint8Array[]): Uint8Array {
  const [one, other, part] = [pick(levels), pick(levels), 0.3 + 0.4 * draw()];
  return Uint8Array.from(one, (level, at) => level * part + (other[at] ?? 0) * (1 - part));
}

/** Without nine tenths of nothing: a crop of a twentieth on each axis, enlarged again by the nearest pixel. */
function cropLevels(grey: Uint8Array): Uint8Array {
  const offset = draw() * 0.05 * SIDE;
  const at = (place: number): number => Math.min(SIDE - 1, Math.floor(offset + place * 0.95));
  return Uint8Array.from(
    grey,
    (_, index) => grey[at(Math.floor(index / SIDE)) * SIDE + at(index % SIDE)] ?? 0,
  );
}

/** The table as the migration makes it, but for the checks that its rows belong to. */
async function makeTable(database: Database): Promise<void> {
  await database.run((queries) =>
    queries.schema.createTable('seen_images', (table) => {
      table.text('id').primary();
      table.text('account_id').notNullable();
      table.text('bits').notNullable();
      for (const key of ['key_0', 'key_1', 'key_2', 'key_3']) table.integer(key).notNullable();
      for (const key of ['key_0', 'key_1', 'key_2', 'key_3']) table.index(['account_id', key]);
    }),
  );
}

async function fill(database: Database, levels: readonly Uint8Array[]): Promise<Scene[]> {
  const searched: Scene[] = [];
  const every = Math.floor(HASHES / SEARCHES);
  for (let from = 0; from < HASHES; from += ROWS_AT_ONCE) {
    const rows: Readonly<Record<string, string | number>>[] = [];
    for (let at = from; at < Math.min(HASHES, from + ROWS_AT_ONCE); at += 1) {
      const grey = mix(levels);
      const hash = hashMiddle(grey);
      if (hash === null) continue;
      rows.push({ id: `chk_${String(at).padStart(26, '0')}`, account_id: ACCOUNT, ...columnsOf(hash) });
      const scene = at % every === 0 ? readScene(cropLevels(grey)) : null;
      if (scene) searched.push(scene);
    }
    await database.longTransaction((queries) => queries.batchInsert('seen_images', rows, 100));
  }
  await database.run((queries) =>
    queries.raw(database.dialect === 'sqlite' ? 'analyze' : 'vacuum analyze seen_images'),
  );
  return searched;
}

async function measure(name: string, setting: DatabaseSetting, levels: readonly Uint8Array[]): Promise<void> {
  const database = await openDatabase(setting);
  try {
    await makeTable(database);
    const searched = await fill(database, levels);
    const times: number[] = [];
    let found = 0;
    // A first round, whose times do not count, brings the pages into memory.
    for (const counts of [false, true])
      for (const scene of searched) {
        const startMs = performance.now();
        const near = await findNear(database, 'seen_images', ACCOUNT, scene);
        if (!counts) continue;
        times.push(performance.now() - startMs);
        if (near.length > 0) found += 1;
      }
    times.sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(times.length * share)] ?? NaN).toFixed(2);
    console.log(`| ${name} | ${HASHES} | ${at(0.5)} ms | ${at(0.99)} ms | ${found} of ${times.length} |`);
  } finally {
    await database.close();
  }
}

const levels = await readImages();
const { processor, cores, date } = describeMachine();
console.log(
  `${processor}, ${cores} cores, ${date.slice(0, 10)}; mixtures of ${levels.length} parts of images\n`,
);
const hashing = Array.from({ length: 50 }, () => mix(levels)).map((grey) => {
  const startMs = performance.now();
  readScene(grey);
  return performance.now() - startMs;
});
hashing.sort((a, b) => a - b);
console.log(`hashing the windows of an image: median ${hashing[25]?.toFixed(2)} ms\n`);
console.log('| database | hashes | median | p99 | found |\n|---|---|---|---|---|');
const folder = mkdtempSync(join(tmpdir(), 'telltale-seen-'));
try {
  await measure('SQLite', { kind: 'sqlite', path: join(folder, 'seen.sqlite') }, levels);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const bin = findPostgres();
if (bin !== null) {
  const server = await startPostgres(bin);
  try {
    await measure('PostgreSQL', { kind: 'postgres', url: server.createDatabase() }, levels);
  } finally {
    server.close();
  }
}
