// Counts the marks that collected pictures carry: `node --import tsx bench/marks.ts PICTURES SOURCES.csv`.
// PICTURES holds files named by the first 16 digits of their SHA-256; SOURCES.csv has columns sha256 and label.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { readMarks } from '../src/check/marks/marks.js';
import { createEngine } from '../src/engine/native/engine.js';

interface Source {
  readonly sha256: string;
  readonly label: 'ai' | 'real';
}

const [folder, sources] = process.argv.slice(2);
if (folder === undefined || sources === undefined) {
  console.error('Usage: node --import tsx bench/marks.ts PICTURES SOURCES.csv');
  process.exit(2);
}
const engine = await createEngine({ device: 'cpu', threads: 1 });
const files = new Map((await readdir(folder)).map((name) => [name.slice(0, 16), join(folder, name)]));
const rows: Source[] = parse(await readFile(sources), { columns: true });

/** Pictures by label, those with a mark by statement, and by mark, each picture once a line. */
const totals = new Map<string, number>();
const counts = new Map<string, { ai: number; real: number }>();
const falseMarks: string[] = [];
let slowestMs = 0;
let spentMs = 0;

for (const { sha256, label } of rows) {
  const path = files.get(sha256.slice(0, 16));
  if (path === undefined) continue;
  const bytes = await readFile(path);
  const startMs = performance.now();
  const marks = readMarks(await engine.readMetadata(bytes));
  const tookMs = performance.now() - startMs;
  slowestMs = Math.max(slowestMs, tookMs);
  spentMs += tookMs;
  totals.set(label, (totals.get(label) ?? 0) + 1);
  const says = marks.map((mark) => (mark.kind === 'editor' ? 'plain editing' : mark.says));
  const named = marks.map((mark) => `${mark.says} · ${mark.kind} · ${mark.generator ?? 'no name'}`);
  for (const line of new Set([...says.map((one) => `**any: ${one}**`), ...named])) {
    const count = counts.get(line) ?? { ai: 0, real: 0 };
    count[label] += 1;
    counts.set(line, count);
  }
  const claims = marks.filter((mark) => mark.says !== 'camera' && mark.kind !== 'editor');
  if (label === 'real')
    for (const mark of claims)
      falseMarks.push(`${sha256.slice(0, 16)} ${mark.kind} ${mark.where} ${mark.value}`);
}

await engine.close();

const [ai, real] = [totals.get('ai') ?? 0, totals.get('real') ?? 0];
console.log(`| mark | AI (${ai}) | genuine (${real}) |`);
console.log('|---|---|---|');
for (const [line, count] of [...counts].sort(([a], [b]) => a.localeCompare(b)))
  console.log(`| ${line} | ${count.ai} | ${count.real} |`);
console.log(`\nMean ${(spentMs / (ai + real)).toFixed(3)} ms, slowest ${slowestMs.toFixed(1)} ms a picture.`);
console.log(`\nGenuine pictures whose file speaks of AI: ${falseMarks.length}`);
for (const line of falseMarks) console.log(`  ${line}`);
