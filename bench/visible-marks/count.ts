// Counts the signs that generators draw: `node --import tsx bench/visible-marks/count.ts signed FOLDER...` how many of the
// pictures of signed.csv, on which a person saw the sign, are found; `... genuine SOURCES.csv[,SOURCES.csv...] EVERY FOLDER...` how
// many genuine pictures (each, or every third and so on) show one, which should be none. Folders are searched with those below
// them; a picture's name begins with the first 16 digits of its SHA-256.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import pMap from 'p-map';
import { createEngine } from '../../src/engine/native/engine.js';
import type { Engine, VisibleMark } from '../../src/engine/types.js';

type Files = ReadonlyMap<string, string>;

const keyOf = (name: string): string => basename(name).slice(0, 16);

async function listFiles(folders: readonly string[]): Promise<Files> {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true });
      return entries.map((name) => [keyOf(name), join(folder, name)] as const);
    }),
  );
  return new Map(lists.flat());
}

async function search(engine: Engine, path: string): Promise<readonly VisibleMark[] | null> {
  // What the service would refuse is no picture here.
  const { width, height } = await engine.sniff(await readFile(path)).catch(() => ({ width: 0, height: 0 }));
  if (Math.min(width, height) < 256) return null;
  const found = await engine.searchPixels(await readFile(path)).catch(() => null);
  return found?.visible ?? null;
}

async function countSigned(engine: Engine, files: Files): Promise<void> {
  const list = await readFile(new URL('signed.csv', import.meta.url));
  const rows: { sha256: string; sign: string }[] = parse(list, { columns: true });
  const tally = new Map<string, { found: number; of: number; by: Set<string> }>();
  await pMap(
    rows,
    async ({ sha256, sign }) => {
      const path = files.get(sha256);
      const marks = path === undefined ? null : await search(engine, path);
      if (marks === null) return;
      const count = tally.get(sign) ?? { found: 0, of: 0, by: new Set<string>() };
      tally.set(sign, count);
      count.of += 1;
      const mark = marks.find((one) => one.sign === sign);
      if (mark === undefined) {
        console.log(`missed: ${sign} on ${sha256}`);
        return;
      }
      count.found += 1;
      count.by.add(mark.generator);
    },
    { concurrency: 2 },
  );
  console.log('| sign | drawn by | found |\n|---|---|---|');
  for (const [sign, { found, of, by }] of [...tally].sort())
    console.log(`| ${sign} | ${[...by].join()} | ${found} of ${of} |`);
}

async function countGenuine(
  engine: Engine,
  files: Files,
  sources: readonly string[],
  every: number,
): Promise<void> {
  const tables = await Promise.all(sources.map((source) => readFile(source)));
  const rows = tables.flatMap((table): { sha256: string; label: string }[] =>
    parse(table, { columns: true }),
  );
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
      for (const { sign, generator, box } of marks)
        finds.push(`  ${key}: ${sign} of ${generator} at ${box.join()}`);
    },
    { concurrency: 2 },
  );
  console.log([`${finds.length} signs on ${searched} genuine pictures`, ...finds].join('\n'));
}

const [mode, ...rest] = process.argv.slice(2);
const engine = await createEngine({ device: 'cpu', threads: 2 });
try {
  const [sources, every, ...folders] = rest;
  if (mode === 'signed' && rest.length > 0) await countSigned(engine, await listFiles(rest));
  else if (mode === 'genuine' && sources !== undefined && folders.length > 0)
    await countGenuine(engine, await listFiles(folders), sources.split(','), Number(every));
  else
    throw new Error(
      'Usage: count.ts signed FOLDER... | genuine SOURCES.csv[,SOURCES.csv...] EVERY FOLDER...',
    );
} finally {
  await engine.close();
}
