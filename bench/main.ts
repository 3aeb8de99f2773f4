// The command `npm run bench`: runs the selected groups of measurements, prints a report and saves the results.
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { openCorpus } from './corpus/make.js';
import { FULL, QUICK } from './durations.js';
import { MEASURE } from './groups/all.js';
import { loadsOfCorpus, loadsOfFolder, type Loads } from './corpus/loads.js';
import { describeMachine, root, withoutFolder, type Machine } from './machine/machine.js';
import { BenchUsageError, GROUPS, HELP, readOptions, type BenchOptions } from './options.js';
import {
  compareResults,
  describeConditions,
  readKept,
  writeResults,
  type KeptResults,
  type Results,
} from './report/earlier-results.js';
import { watchOtherWork } from './machine/other-work.js';
import { alarmBefore } from './report/alarms.js';
import { renderReport } from './report/markdown.js';
import type { Section } from './report/section.js';
import { MAX_REPEATS, runInProcess, Runner, type Context, type Row } from './trials/runner.js';

/** Folder of the results that the project's documents cite. */
const SHIPPED = join(root, 'bench/results');

const say = (line: string): void => console.error(`bench: ${line}`);

async function openLoads({ files, isQuick }: BenchOptions): Promise<Loads> {
  if (files !== null) return loadsOfFolder(files, say);
  say('opening the corpus (made once, which takes some minutes)');
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
  // Reads earlier results first, so that a wrong folder is reported before an hour of measuring.
  const against = options.against === null ? null : readKept(options.against);
  // Reads how busy the machine is before the bench itself makes it busy.
  const machine = describeMachine();
  const alarm = alarmBefore(machine);
  if (alarm !== null) say(`ALARM: ${alarm}`);
  const watch = watchOtherWork();
  const loads = await openLoads(options);
  const runner = new Runner(say, watch, runInProcess, options.isQuick ? 0 : MAX_REPEATS);
  const durations = options.isQuick ? QUICK : FULL;
  const context: Context = { runner, loads, durations, options, cores: availableParallelism() };
  const command = ['npm run bench', ...(words.length > 0 ? ['--', ...words.map(withoutFolder)] : [])].join(
    ' ',
  );
  const folder = chooseFolder(options, machine);
  const sections: Section[] = [];
  let report = '';
  for (const group of options.groups) {
    try {
      sections.push(await MEASURE[group](context));
    } catch (error) {
      // A group that fails must not discard the results of the other groups.
      console.error(`bench: ${group} failed:`, error);
      process.exitCode = 1;
    }
    const goals = sections.flatMap((section) => section.goals);
    const results = { command, machine, conditions: describeConditions(options), goals, rows: runner.rows };
    report = await keep(folder, sections, results, against);
  }
  watch.stop();
  if (runner.rows.some(({ failure }) => failure !== null)) process.exitCode = 1;
  console.log(report);
  say(`results saved in ${folder}`);
}

/** Saves all results so far, and returns the text of the report. */
async function keep(
  folder: string,
  sections: readonly Section[],
  results: Results & { readonly rows: readonly Row[] },
  against: readonly KeptResults[] | null,
): Promise<string> {
  const report = renderReport({
    ...results,
    sections,
    isQuick: results.conditions.isQuick,
    comparison: against === null ? [] : compareResults(results, against),
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'results.md'), report);
  await writeFile(join(folder, 'results.json'), writeResults(results));
  return report;
}

/** Returns the folder for the results. Only full runs on the bench's own images go to the folder of cited results. */
function chooseFolder({ out, isQuick, groups, files }: BenchOptions, { date }: Machine): string {
  if (out !== null) return resolve(out);
  const isWhole = !isQuick && files === null && groups.length === GROUPS.length;
  return isWhole
    ? join(SHIPPED, date.slice(0, 10))
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
