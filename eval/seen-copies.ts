// Counts how often `details.seen` tells copies of an image again, and how often it takes another image for it:
// `node --import tsx eval/seen-copies.ts FOLDER [COUNT]` on COUNT images (default 1000) of the folder and those below it.
// Each image stands for an earlier check, and copies of it are searched for among the hashes of all. For false matches each
// image is searched for among all others: pairs that match are printed, since a folder may hold an image twice.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { MOST_DIFFERENT, readScene, type Scene } from '../src/accounts/seen/scene-index.js';
import { countDifferent, KEYS, keysOf, type SceneHash } from '../src/base/scene-hash.js';
import { createEngine } from '../src/engine/native/engine.js';
import type { Engine } from '../src/engine/types.js';
import { PREVIEW_PX } from '../src/record/content/compose.js';

const [folder, count = '1000'] = process.argv.slice(2);
if (folder === undefined)
  throw new Error(`Expected a FOLDER; see the head of ${fileURLToPath(import.meta.url)}`);

/** Numbers from 0 to 1, the same in each run (Lehmer). */
let state = 20_261_127;
function draw(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Takes `share` off both sides, at a place drawn. */
function crop(image: Sharp, { width, height }: Size, share: number): Sharp {
  const kept = { width: Math.ceil(width * (1 - share)), height: Math.ceil(height * (1 - share)) };
  const left = Math.floor(draw() * (width - kept.width));
  return image.extract({ left, top: Math.floor(draw() * (height - kept.height)), ...kept });
}

const resize = (image: Sharp, side: number): Sharp => image.resize(side, side, { fit: 'inside' });

/** Copies, by what was done to the image. */
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

/** Null for a file that is no image, and for one that the service would refuse or not compare. */
async function read(engine: Engine, bytes: Uint8Array): Promise<Scene | null> {
  const preview = await engine.makePreview(bytes, { longSidePx: PREVIEW_PX }).catch(() => null);
  return preview && readScene(preview.grey);
}

/** As the index finds it: by a key that is equal, and by all bits. */
function matches(kept: SceneHash, { windows }: Scene): boolean {
  const keys = keysOf(kept);
  return (
    windows.some((window) => countDifferent(window, kept) <= MOST_DIFFERENT) &&
    windows.some((window) => keysOf(window).some((key, at) => key === keys[at]))
  );
}

/** `12 of 1000, 1.2% (0.7% to 2.1%)`: with Wilson's interval of 95%. */
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
  readonly scene: Scene;
}

async function readOriginals(
  engine: Engine,
): Promise<{ originals: Original[]; plain: string[]; found: Map<string, number> }> {
  const names = (await readdir(folder ?? '', { recursive: true })).filter((name) =>
    /\.(jpe?g|png|webp|avif|tiff?)$/i.test(name),
  );
  names.sort();
  const originals: Original[] = [];
  const plain: string[] = [];
  const found = new Map<string, number>(Object.keys(COPIES).map((name) => [name, 0]));
  for (const name of names) {
    if (originals.length === Number(count)) break;
    const bytes = await readFile(join(folder ?? '', name));
    const { width, height, orientation } = await engine
      .sniff(bytes)
      .catch(() => ({ width: 0, height: 0, orientation: 0 }));
    if (Math.min(width, height) < 256 || orientation > 1) continue;
    const scene = await read(engine, bytes);
    if (scene === null) {
      plain.push(name);
      continue;
    }
    originals.push({ name, scene });
    for (const [copy, make] of Object.entries(COPIES)) {
      const image = sharp(bytes).flatten({ background: '#fff' });
      const again = await read(engine, await make(image, { width, height }));
      if (again && matches(scene.middle, again)) found.set(copy, (found.get(copy) ?? 0) + 1);
    }
  }
  return { originals, plain, found };
}

const engine = await createEngine({ device: 'cpu', threads: 2 });
try {
  const { originals, plain, found } = await readOriginals(engine);
  console.log(`${originals.length} images; ${plain.length} more show too little to be compared`);
  console.log('\n| copy | told again (95% interval) |\n|---|---|');
  for (const [copy, times] of found) console.log(`| ${copy} | ${share(times, originals.length)} |`);
  const pairs: string[] = [];
  for (const one of originals)
    for (const other of originals)
      if (one !== other && matches(one.scene.middle, other.scene))
        pairs.push(`  ${other.name} matches ${one.name}`);
  const of = originals.length * (originals.length - 1);
  console.log(`\nother images: ${share(pairs.length, of)} of pairs match`);
  for (const line of pairs) console.log(line);
  const lookups = originals.map(({ scene }) =>
    Array.from(
      { length: KEYS },
      (_, at) => new Set(scene.windows.map((window) => keysOf(window)[at])).size,
    ).reduce((sum, size) => sum + size, 0),
  );
  lookups.sort((a, b) => a - b);
  console.log(
    `\nkeys that a search looks up: median ${lookups[lookups.length >> 1]}, most ${lookups.at(-1)}`,
  );
} finally {
  await engine.close();
}
