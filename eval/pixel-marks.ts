// Counts visible signs and open watermarks found in pixels: `node --import tsx eval/pixel-marks.ts` with one of these
// arguments.
// - `signs FOLDER...`: number of images in visible-signs.csv in which the sign is found. A person saw the sign on each
// of these images.
// - `watermarked FOLDER`: watermarks found in the images of make-watermarked.py, by format and message.
// - `genuine SOURCES.csv[,SOURCES.csv...] EVERY FOLDER...`: genuine images with a sign or watermark, which are false
// matches. EVERY 10 takes every tenth image. Slow, because each image is decoded.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { createEngine } from '../src/library/engine/native/engine.js';
import type { Engine, PixelMarks } from '../src/library/engine/types.js';
import { keyOf, listFiles, readSources } from './collection.js';

/** Generators by the names of their messages, which make-watermarked.py uses in file names. */
const GENERATORS: Readonly<Record<string, string>> = {
  sd1: 'Stable Diffusion 1',
  sd2: 'Stable Diffusion 2',
  sdxl: 'Stable Diffusion XL',
  flux: 'FLUX',
  invokeai: 'InvokeAI',
};

interface Tally {
  found: number;
  of: number;
}

async function search(engine: Engine, path: string): Promise<PixelMarks | null> {
  const bytes = await readFile(path);
  // Skips images that the service would refuse: too small, or undecodable.
  const { width, height } = await engine.sniff(bytes).catch(() => ({ width: 0, height: 0 }));
  if (Math.min(width, height) < 256) return null;
  return engine.searchPixels(bytes).catch(() => null);
}

async function countSigns(engine: Engine, folders: readonly string[]): Promise<void> {
  const files = await listFiles(folders);
  const list = await readFile(new URL('visible-signs.csv', import.meta.url), 'utf8');
  const rows = list.trim().split('\n').slice(1);
  const tally = new Map<string, Tally>();
  await pMap(
    rows.map((row) => row.split(',') as [string, string]),
    async ([key, sign]) => {
      const path = files.get(key);
      const marks = path === undefined ? null : await search(engine, path);
      if (marks === null) return;
      const count = tally.get(sign) ?? { found: 0, of: 0 };
      tally.set(sign, count);
      count.of += 1;
      if (marks.visible.some((mark) => mark.sign === sign)) count.found += 1;
      else console.log(`missed: ${sign} on ${key}`);
    },
    { concurrency: 2 },
  );
  console.log('| sign | found |\n|---|---|');
  for (const [sign, { found, of }] of [...tally].sort()) console.log(`| ${sign} | ${found} of ${of} |`);
}

async function countWatermarked(engine: Engine, folder: string): Promise<void> {
  const names = Object.keys(GENERATORS);
  console.log(`| delivery | ${names.join(' | ')} |\n|---|${names.map(() => '---|').join('')}`);
  for (const delivery of (await readdir(folder)).sort()) {
    const tally = new Map<string, Tally>(names.map((name) => [name, { found: 0, of: 0 }]));
    await pMap(
      await readdir(join(folder, delivery)),
      async (file) => {
        const name = /-(\w+)\./.exec(file)?.[1] ?? '';
        const count = tally.get(name);
        if (count === undefined) throw new Error(`${file} is not named by make-watermarked.py`);
        const marks = await search(engine, join(folder, delivery, file));
        count.of += 1;
        if (marks?.watermarks.some(({ generator }) => generator === GENERATORS[name])) count.found += 1;
      },
      { concurrency: 2 },
    );
    console.log(
      `| ${delivery} | ${[...tally.values()].map(({ found, of }) => `${found} of ${of}`).join(' | ')} |`,
    );
  }
}

async function countGenuine(
  engine: Engine,
  sources: readonly string[],
  every: number,
  folders: readonly string[],
): Promise<void> {
  const files = await listFiles(folders);
  const rows = await readSources(sources);
  const genuine = new Set(rows.filter(({ label }) => label === 'real').map(({ sha256 }) => keyOf(sha256)));
  const finds: string[] = [];
  let searched = 0;
  await pMap(
    [...genuine].filter((_, at) => at % every === 0),
    async (key) => {
      const path = files.get(key);
      const marks = path === undefined ? null : await search(engine, path);
      if (marks === null) return;
      searched += 1;
      for (const { sign, generator, box } of marks.visible)
        finds.push(`  ${key}: ${sign} of ${generator} at ${box.join()}`);
      for (const { generator, matchingBits, bits } of marks.watermarks)
        finds.push(`  ${key}: watermark of ${generator}, ${matchingBits} of ${bits} bits`);
    },
    { concurrency: 2 },
  );
  console.log([`${finds.length} marks on ${searched} genuine images`, ...finds].join('\n'));
}

const [mode = '', ...rest] = process.argv.slice(2);
const [first = '', every = '', ...folders] = rest;
const modes: Readonly<Record<string, ((engine: Engine) => Promise<void>) | false>> = {
  signs: rest.length > 0 && ((engine) => countSigns(engine, rest)),
  watermarked: rest.length === 1 && ((engine) => countWatermarked(engine, first)),
  genuine: folders.length > 0 && ((engine) => countGenuine(engine, first.split(','), Number(every), folders)),
};
const count = modes[mode] ?? false;
if (!count) {
  console.error('Usage: node --import tsx eval/pixel-marks.ts signs FOLDER... | watermarked FOLDER');
  console.error('       | genuine SOURCES.csv[,SOURCES.csv...] EVERY FOLDER...');
  process.exit(2);
}
const engine = await createEngine({ device: 'cpu', threads: 2 });
try {
  await count(engine);
} finally {
  await engine.close();
}
