// Counts how often the search for earlier checks (`details.seen`) finds copies of an image, and how often it mistakes
// another image for a copy: `node --import tsx eval/seen-copies.ts FOLDER [COUNT [OTHERS]]`.
// Takes evenly spread images of the folder and its subfolders. Makes eight copies of each of COUNT images (default
// 130) and searches for each copy as if the image had been checked before. For false matches, searches for COUNT and
// OTHERS (default 870) images among all others. Prints the matching pairs, because a folder may contain an image
// twice.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { countDifferentBits, KEYS, keysOf, maxDifferentBits } from '../src/accounts/seen/scene-index.js';
import { MAX_BLOCK_DIFFERENCE } from '../src/accounts/seen/known.js';
import { createEngine } from '../src/library/engine/native/engine.js';
import type { Engine, Scene, SceneHash } from '../src/library/engine/types.js';

const [folder, count = '130', others = '870'] = process.argv.slice(2);
if (folder === undefined)
  throw new Error(`Expected a FOLDER; see the head of ${fileURLToPath(import.meta.url)}`);

/** Returns random numbers from 0 to 1, the same in each run (Lehmer generator). */
let state = 20_261_127;
function draw(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Removes `share` of the width and the height, at a random position. */
function crop(image: Sharp, { width, height }: Size, share: number): Sharp {
  const kept = { width: Math.ceil(width * (1 - share)), height: Math.ceil(height * (1 - share)) };
  const left = Math.floor(draw() * (width - kept.width));
  return image.extract({ left, top: Math.floor(draw() * (height - kept.height)), ...kept });
}

const resize = (image: Sharp, side: number): Sharp => image.resize(side, side, { fit: 'inside' });

/** Functions that make a copy of an image, by the name of the change. */
const COPIES: Readonly<Record<string, (image: Sharp, size: Size) => Promise<Buffer>>> = {
  'JPEG, quality 60': (image) => image.jpeg({ quality: 60 }).toBuffer(),
  'WebP, quality 50': (image) => image.webp({ quality: 50 }).toBuffer(),
  'longer side 480 px, JPEG 75': (image) => resize(image, 480).jpeg({ quality: 75 }).toBuffer(),
  'twice the size, JPEG 85': (image, { width }) =>
    image
      .resize({ width: Math.min(4096, width * 2) })
      .jpeg({ quality: 85 })
      .toBuffer(),
  'brighter by a fifth, JPEG 80': (image) =>
    image.modulate({ brightness: 1.2 }).jpeg({ quality: 80 }).toBuffer(),
  'crop by 5% of both sides, JPEG 80': (image, size) =>
    crop(image, size, 0.05).jpeg({ quality: 80 }).toBuffer(),
  'crop by 10% of both sides, JPEG 80': (image, size) =>
    crop(image, size, 0.1).jpeg({ quality: 80 }).toBuffer(),
  'crop by 10%, longer side 640 px, JPEG 60': async (image, size) =>
    resize(sharp(await crop(image, size, 0.1).png({ compressionLevel: 1 }).toBuffer()), 640)
      .jpeg({ quality: 60 })
      .toBuffer(),
  '(beyond what is promised) crop by 15%, JPEG 80': (image, size) =>
    crop(image, size, 0.15).jpeg({ quality: 80 }).toBuffer(),
};

/**
 * Computes the scene hashes of an image. Returns null if the service would refuse the file or not compare the image.
 */
function read(engine: Engine, bytes: Uint8Array): Promise<Scene | null> {
  return engine.hashScene(bytes).catch(() => null);
}

/** An image to search for. `keys` are the values by which a database looks its hashes up. */
interface Query extends Scene {
  readonly keys: readonly ReadonlySet<number>[];
}

function queryOf(scene: Scene): Query {
  const all = scene.windows.map(keysOf);
  return {
    ...scene,
    keys: Array.from({ length: KEYS }, (_, at) => new Set(all.map((keys) => keys[at] ?? -1))),
  };
}

/** Returns true if a database search would find `kept`: it needs an equal key, and then few differing bits. */
function matches(kept: SceneHash, query: Query): boolean {
  const { windows, keys } = query;
  return (
    keysOf(kept).some((key, at) => keys[at]?.has(key)) &&
    windows.some((window) => countDifferentBits(window, kept) <= maxDifferentBits(query))
  );
}

/** Formats `12 of 1000, 1.2% (0.7% to 2.1%)`, with Wilson's 95% interval. */
function share(found: number, of: number): string {
  const z = 1.96;
  const rate = found / of;
  const middle = (rate + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z / (1 + (z * z) / of)) * Math.sqrt((rate * (1 - rate)) / of + (z * z) / (4 * of * of));
  const percent = (value: number): string => `${(100 * value).toFixed(value < 0.001 && value > 0 ? 4 : 1)}%`;
  return `${found} of ${of}, ${percent(rate)} (${percent(Math.max(0, middle - half))} to ${percent(Math.min(1, middle + half))})`;
}

interface Original {
  readonly name: string;
  readonly query: Query;
}

/** Lists evenly spread images of the folder, up to the requested number. */
async function listNames(): Promise<string[]> {
  const names = await readdir(folder ?? '', { recursive: true });
  const images = names.filter((name) => /\.(jpe?g|png|webp|avif|tiff?)$/i.test(name)).sort();
  const step = Math.max(1, images.length / (Number(count) + Number(others)));
  return Array.from(
    { length: Math.floor(images.length / step) },
    (_, at) => images[Math.floor(at * step)] ?? '',
  );
}

/**
 * Reads an image. Returns null if the service would refuse it. Also returns null if EXIF rotates the image, because
 * its copies would not be rotated.
 */
async function readOriginal(engine: Engine, name: string): Promise<{ bytes: Buffer; size: Size } | null> {
  const bytes = await readFile(join(folder ?? '', name));
  const image = await engine.sniff(bytes).catch(() => null);
  if (!image || Math.min(image.width, image.height) < 256 || image.orientation > 1) return null;
  return { bytes, size: image };
}

const engine = await createEngine({ device: 'cpu', threads: 2 });
try {
  const found = new Map<string, number>(Object.keys(COPIES).map((name) => [name, 0]));
  const deciding = new Map(found);
  const originals: Original[] = [];
  let copied = 0;
  let plain = 0;
  const names = await listNames();
  const step = names.length / Number(count);
  for (const [at, name] of names.entries()) {
    const original = await readOriginal(engine, name);
    const scene = original && (await read(engine, original.bytes));
    if (original && !scene) plain += 1;
    if (!original || !scene) continue;
    originals.push({ name, query: queryOf(scene) });
    if (at < copied * step || copied === Number(count)) continue;
    copied += 1;
    for (const [copy, make] of Object.entries(COPIES)) {
      const image = sharp(original.bytes).flatten({ background: '#fff' });
      const bytes = await make(image, original.size);
      const again = await read(engine, bytes);
      if (!again || !matches(scene.middle, queryOf(again))) continue;
      found.set(copy, (found.get(copy) ?? 0) + 1);
      if ((await engine.compareScenes(bytes, scene.levels)) <= MAX_BLOCK_DIFFERENCE)
        deciding.set(copy, (deciding.get(copy) ?? 0) + 1);
    }
  }
  console.log(
    `copies of ${copied} images; ${plain} of ${plain + originals.length} images show too little to be compared`,
  );
  console.log('\n| copy | found again (95% interval) | may decide (95% interval) |\n|---|---|---|');
  for (const [copy, times] of found)
    console.log(`| ${copy} | ${share(times, copied)} | ${share(deciding.get(copy) ?? 0, copied)} |`);
  const within = [...found].filter(([copy]) => !copy.startsWith('(')).map(([, times]) => times);
  console.log(
    `| all of the first eight | ${share(
      within.reduce((sum, times) => sum + times, 0),
      copied * within.length,
    )} |`,
  );
  const pairs: string[] = [];
  for (const one of originals)
    for (const other of originals)
      if (one !== other && matches(one.query.middle, other.query)) {
        const difference = await engine.compareScenes(
          await readFile(join(folder, other.name)),
          one.query.levels,
        );
        pairs.push(
          `  ${other.name} matches ${one.name}, ${difference <= MAX_BLOCK_DIFFERENCE ? 'and may decide' : `but may not decide (${difference.toFixed(2)})`}`,
        );
      }
  console.log(
    `\nother images: ${share(pairs.length, originals.length * (originals.length - 1))} of pairs match`,
  );
  for (const line of pairs) console.log(line);
  console.log(
    `flat images among them: ${originals.filter(({ query }) => query.isFlat).length} of ${originals.length}`,
  );
  const lookups = originals
    .map(({ query }) => query.keys.reduce((sum, { size }) => sum + size, 0))
    .sort((a, b) => a - b);
  console.log(
    `\nkeys that a search looks up: median ${lookups[lookups.length >> 1]}, most ${lookups.at(-1)}`,
  );
} finally {
  await engine.close();
}
