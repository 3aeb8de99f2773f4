// Counts in how many collected images the metadata says how the image was made: `node --import tsx
// eval/metadata-marks.ts IMAGES SOURCES.csv`.
import { readFile } from 'node:fs/promises';
import { readMarks } from '../src/library/check/marks/marks.js';
import { createEngine } from '../src/library/engine/native/engine.js';
import { keyOf, listFiles, readSources } from './collection.js';

const [folder, sources] = process.argv.slice(2);
if (folder === undefined || sources === undefined) {
  console.error('Usage: node --import tsx eval/metadata-marks.ts IMAGES SOURCES.csv');
  process.exit(2);
}
const engine = await createEngine({ device: 'cpu', threads: 1 });
const files = await listFiles([folder]);
const rows = await readSources([sources]);

/** Number of images by label, in total and for each line of the printed table. An image counts once per line. */
const totals = new Map<string, number>();
const counts = new Map<string, { ai: number; real: number }>();
const falseMarks: string[] = [];

for (const { sha256, label } of rows) {
  const path = files.get(keyOf(sha256));
  if (path === undefined) continue;
  const bytes = await readFile(path);
  const marks = readMarks(await engine.readMetadata(bytes));
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
console.log(`\nGenuine images whose file speaks of AI: ${falseMarks.length}`);
for (const line of falseMarks) console.log(`  ${line}`);
