// Looks for open watermarks, by `node --import tsx bench/watermarks/count.ts` and one of these:
// - `marked FOLDER` counts the marks that are left in the pictures of make.py, by delivery and message;
// - `genuine PICTURES SOURCES.csv [EVERY]` counts genuine pictures that match or hide a text, which should be none. EVERY
//   10 takes every tenth picture; each is decoded, so it takes a while;
// - `cost` measures the processor time for 1 megapixel, of marks and of pixels.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import pMap from 'p-map';
import sharp from 'sharp';
import { readMarks } from '../../src/check/marks/marks.js';
import { createEngine } from '../../src/engine/native/engine.js';
import type { Engine, PixelMarks } from '../../src/engine/types.js';
import { makeBmp, readFixture } from '../../test/support/pictures.js';

/** Messages by the name that make.py gives their pictures. */
const GENERATORS: Readonly<Record<string, string>> = {
  sd1: 'Stable Diffusion 1',
  sd2: 'Stable Diffusion 2',
  sdxl: 'Stable Diffusion XL',
  flux: 'FLUX',
  invokeai: 'InvokeAI',
};

async function search(engine: Engine, path: string): Promise<PixelMarks | null> {
  // What the service would refuse is no picture here.
  return engine.searchPixels(await readFile(path)).catch(() => null);
}

async function countMarked(engine: Engine, folder: string): Promise<void> {
  const names = Object.keys(GENERATORS);
  console.log(`| delivery | ${names.join(' | ')} |\n|---|${names.map(() => '---|').join('')}`);
  for (const delivery of (await readdir(folder)).sort()) {
    const tally = new Map(names.map((name) => [name, { found: 0, of: 0 }]));
    const files = await readdir(join(folder, delivery));
    await pMap(
      files,
      async (file) => {
        const name = /-(\w+)\./.exec(file)?.[1] ?? '';
        const count = tally.get(name);
        if (count === undefined) throw new Error(`${file} is not named by make.py`);
        const found = await search(engine, join(folder, delivery, file));
        count.of += 1;
        if (found?.watermarks.some(({ generator }) => generator === GENERATORS[name]) === true)
          count.found += 1;
      },
      { concurrency: 2 },
    );
    const cells = names.map((name) => `${tally.get(name)?.found} of ${tally.get(name)?.of}`);
    console.log(`| ${delivery} | ${cells.join(' | ')} |`);
  }
}

async function countGenuine(engine: Engine, folder: string, sources: string, every: number): Promise<void> {
  const rows: { sha256: string; label: string }[] = parse(await readFile(sources), { columns: true });
  const files = new Map((await readdir(folder)).map((name) => [name.slice(0, 16), join(folder, name)]));
  const matches: string[] = [];
  let searched = 0;
  await pMap(
    rows.filter(({ label }) => label === 'real').filter((_, at) => at % every === 0),
    async ({ sha256 }) => {
      const path = files.get(sha256.slice(0, 16));
      const found = path === undefined ? null : await search(engine, path);
      if (found === null) return;
      searched += 1;
      for (const { generator, matchingBits, bits } of found.watermarks)
        matches.push(`  ${sha256.slice(0, 16)} ${generator} ${matchingBits}/${bits}`);
      for (const { name } of found.texts) matches.push(`  ${sha256.slice(0, 16)} hides a text in ${name}`);
    },
    { concurrency: 2 },
  );
  console.log([`${matches.length} of ${searched} genuine pictures match`, ...matches].join('\n'));
}

/** Processor time of `work`, all threads together, in ms: what else the machine does is not in it. Median and least. */
async function measure(work: () => unknown): Promise<string> {
  const tookMs: number[] = [];
  for (let round = 0; round < 101; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    tookMs.push((user + system) / 1000);
  }
  tookMs.sort((x, y) => x - y);
  return `${tookMs[50]?.toFixed(2)} | ${tookMs[0]?.toFixed(2)}`;
}

async function measureCost(engine: Engine): Promise<void> {
  const side = 1024;
  const bmp = makeBmp(side, side);
  const png = (withAlpha: boolean): Promise<Buffer> => {
    const scene = sharp(readFixture('png/scene.png')).resize(side, side);
    return (withAlpha ? scene.ensureAlpha() : scene.removeAlpha()).png().toBuffer();
  };
  const declared = await sharp(await png(false))
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${' '.repeat(4000)}</x:xmpmeta>`)
    .withExif({ IFD2: { UserComment: `a harbour\nSteps: 28, Sampler: Euler a, ${'detail '.repeat(200)}` } })
    .jpeg()
    .toBuffer();
  const readAll = async (bytes: Uint8Array): Promise<unknown> => readMarks(await engine.readMetadata(bytes));
  const [plain, withAlpha] = [await png(false), await png(true)];
  console.log('| 1 megapixel | median ms | least ms |\n|---|---|---|');
  console.log(`| what a JPEG declares (EXIF, XMP) | ${await measure(() => readAll(declared))} |`);
  const decode = (bytes: Uint8Array) => () => engine.recompress(bytes, { longSidePx: 16, quality: 75 });
  for (const [name, bytes] of [
    ['BMP', bmp],
    ['PNG', plain],
    ['PNG with alpha', withAlpha],
  ] as const) {
    console.log(`| ${name}: decoding and shrinking alone | ${await measure(decode(bytes))} |`);
    console.log(`| ${name}: searching its pixels | ${await measure(() => engine.searchPixels(bytes))} |`);
  }
}

const [mode, folder, sources, every = '1'] = process.argv.slice(2);
const engine = await createEngine({ device: 'cpu', threads: 2 });
try {
  if (mode === 'marked' && folder !== undefined) await countMarked(engine, folder);
  else if (mode === 'genuine' && folder !== undefined && sources !== undefined)
    await countGenuine(engine, folder, sources, Number(every));
  else if (mode === 'cost') await measureCost(engine);
  else throw new Error('Usage: count.ts marked FOLDER | genuine PICTURES SOURCES.csv [EVERY] | cost');
} finally {
  await engine.close();
}
