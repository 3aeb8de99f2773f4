// The package's models with a small part of their reference: what learns from all of it takes many seconds.
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagedModels } from './models-folder.js';

/** One picture of so many stays, in all its tiers; of ten times fewer, thresholds that are fitted to them jump. */
const ONE_OF = 3;

/** Makes the folder, a new one that the caller removes; its networks are links to the package's. */
export function makeSmallReference(): string {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-models-'));
  for (const name of readdirSync(packagedModels))
    if (name !== 'reference') symlinkSync(join(packagedModels, name), join(folder, name));
  const whole = join(packagedModels, 'reference');
  const [head = '', ...lines] = readFileSync(join(whole, 'rows.csv'), 'utf8').trimEnd().split('\n');
  const pictures = [...new Set(lines.map(pictureOf))];
  const wanted = new Set(pictures.filter((_, at) => at % ONE_OF === 0));
  const kept = lines.flatMap((line, at) => (wanted.has(pictureOf(line)) ? [at] : []));
  const facts = JSON.parse(readFileSync(join(whole, 'reference.json'), 'utf8')) as { numbers: number };
  const bytes = readFileSync(join(whole, 'embeddings.bin'));
  const rowOf = (at: number): Buffer => bytes.subarray(at * facts.numbers, (at + 1) * facts.numbers);
  const small = join(folder, 'reference');
  mkdirSync(small);
  writeFileSync(join(small, 'rows.csv'), [head, ...kept.map((at) => lines[at]), ''].join('\n'));
  writeFileSync(join(small, 'embeddings.bin'), Buffer.concat(kept.map(rowOf)));
  writeFileSync(join(small, 'reference.json'), JSON.stringify({ ...facts, rows: kept.length }));
  return folder;
}

/** The first column. */
function pictureOf(line: string): string {
  return line.slice(0, line.indexOf(','));
}
