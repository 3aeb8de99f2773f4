// npm run bench: measures what was asked for, prints the report, keeps it with its plots.
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { openCorpus } from './corpus/make.js';
import { FULL, QUICK } from './durations.js';
import { MEASURE } from './groups/all.js';
import type { Context } from './groups/context.js';
import { loadsOfCorpus, loadsOfFolder, type Loads } from './loads.js';
import { describeMachine, type Machine } from './machine.js';
import { BenchUsageError, GROUPS, HELP, readOptions, type BenchOptions } from './options.js';
import { root, withoutFolder } from './paths.js';
import { renderReport } from './report/markdown.js';
import type { Section } from './report/section.js';
import { Runner } from './runner.js';

const say = (line: string): void => console.error(`bench: ${line}`);

async function openLoads({ files, isQuick }: BenchOptions): Promise<Loads> {
  if (files !== null) return loadsOfFolder(files, say);
  say('opening the corpus (made once, in some minutes)');
  const corpus = await openCorpus({
    isQuick,
    onFile: ({ name, sizeBytes, sha256 }) => say(`${name}: ${sizeBytes} bytes, sha256 ${sha256}`),
  });
  return loadsOfCorpus(corpus);
}

async function run(words: readonly string[]): Promise<void> {
  const options = readOptions(words);
  if (options === null) {
    console.log(HELP);
    return;
  }
  const loads = await openLoads(options);
  const machine = describeMachine();
  const runner = new Runner(say);
  const durations = options.isQuick ? QUICK : FULL;
  const context: Context = { runner, loads, durations, options, cores: availableParallelism() };
  const sections: Section[] = [];
  const command = ['npm run bench', ...(words.length > 0 ? ['--', ...words.map(withoutFolder)] : [])].join(
    ' ',
  );
  const folder = chooseFolder(options, machine);
  for (const group of options.groups) {
    try {
      sections.push(await MEASURE[group](context));
    } catch (error) {
      // What the other groups found, or will find, is not lost with this one.
      console.error(`bench: ${group} failed:`, error);
      process.exitCode = 1;
    }
    await keep(folder, renderReport(machine, sections, command), { command, machine, runner, sections });
  }
  console.log(renderReport(machine, sections, command));
  say(`kept in ${folder}`);
}

interface Findings {
  readonly command: string;
  readonly machine: Machine;
  readonly runner: Runner;
  readonly sections: readonly Section[];
}

async function keep(
  folder: string,
  report: string,
  { command, machine, runner, sections }: Findings,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'results.md'), report);
  const results = { command, machine, goals: sections.flatMap(({ goals }) => goals), rows: runner.rows };
  await writeFile(
    join(folder, 'results.json'),
    `${JSON.stringify(results, (_, value: unknown) => withoutFolder(value), 1)}\n`,
  );
  for (const { name, svg } of sections.flatMap(({ plots }) => plots))
    await writeFile(join(folder, `${name}.svg`), svg);
}

/** Whole runs are results; what is tried out is not. */
function chooseFolder({ out, isQuick, groups, files }: BenchOptions, { date }: Machine): string {
  if (out !== null) return resolve(out);
  const isWhole = !isQuick && files === null && groups.length === GROUPS.length;
  return isWhole
    ? join(root, 'bench/results', date.slice(0, 10))
    : join(root, 'bench/.runs', date.slice(0, 19).replaceAll(':', ''));
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof BenchUsageError)) throw error;
  console.error(`bench: ${error.message}`);
  console.error("'npm run bench -- --help' explains the usage.");
  process.exitCode = 2;
}
