// Saving results in a folder, and comparing a run with earlier runs.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Machine } from '../machine/machine.js';
import { withoutFolder } from '../machine/machine.js';
import { BenchUsageError, type BenchOptions } from '../options.js';
import { median } from '../statistics.js';
import type { Row } from '../trials/runner.js';
import { type Goal, show, type Table } from './section.js';

/**
 * Conditions that affect a number, in addition to machine and program. Only runs under the same conditions are
 * compared.
 */
export interface Conditions {
  readonly isQuick: boolean;
  /** Name of the folder with the user's own images. Null means the bench's own images. */
  readonly files: string | null;
  readonly device: string;
  /** Libraries preloaded into every program. */
  readonly preloaded: readonly string[];
}

/** A measurement as saved in results.json. Older results lack some fields. */
export type KeptRow = Pick<Row, 'group' | 'name' | 'settings' | 'result'> & Partial<Row>;

/** Contents of results.json. */
export interface Results {
  readonly command: string;
  readonly machine: Machine;
  readonly conditions: Conditions;
  readonly goals: readonly Goal[];
  readonly rows: readonly KeptRow[];
}

/** Saved results of an earlier run. */
export interface KeptResults extends Results {
  readonly name: string;
}

/** Conditions of older results, which do not record them. */
const PLAIN: Conditions = { isQuick: false, files: null, device: 'cpu', preloaded: [] };

/** Returns the conditions under which this process runs the bench. */
export function describeConditions({ isQuick, files, device }: BenchOptions): Conditions {
  const preloaded = (process.env.LD_PRELOAD ?? '').split(/[\s:]+/).filter((path) => path !== '');
  return {
    isQuick,
    files: files === null ? null : basename(files),
    device,
    preloaded: preloaded.map((path) => basename(path)),
  };
}

/** Writes results.json with a line for each goal and each measurement. */
export function writeResults(results: Results): string {
  const text = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => withoutFolder(part));
  const fields = Object.entries(results).map(([name, value]: [string, unknown]) => {
    const lines =
      Array.isArray(value) && value.length > 0 ? `[\n${value.map(text).join(',\n')}\n]` : text(value);
    return `${JSON.stringify(name)}: ${lines}`;
  });
  return `{\n${fields.join(',\n')}\n}\n`;
}

/**
 * Reads the results in `folder` and its subfolders, newest first. Throws BenchUsageError if the folder is missing or
 * has no results.
 */
export function readKept(folder: string): KeptResults[] {
  if (!existsSync(folder)) throw new BenchUsageError(`there is no folder '${folder}'`);
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const earlierResults = [folder, ...below.map(({ name }) => join(folder, name))].flatMap(readOne);
  if (earlierResults.length === 0)
    throw new BenchUsageError(`there is no results.json in '${folder}' or its folders`);
  return earlierResults.sort((a, b) => b.machine.date.localeCompare(a.machine.date));
}

function readOne(folder: string): KeptResults[] {
  const path = join(folder, 'results.json');
  if (!existsSync(path)) return [];
  const results = JSON.parse(readFileSync(path, 'utf8')) as Omit<Results, 'conditions'> & Partial<Results>;
  return [{ conditions: PLAIN, ...results, name: basename(folder) }];
}

/** Ratio, in either direction, from which a difference is shown in bold. Chosen: smaller differences may be chance. */
const REMARKABLE = 1.1;

/** A number by its name, which other runs use for the same measurement. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Settings of the measurement. Null for a performance goal, whose name already identifies it. */
  readonly settings: unknown;
}

/** A number of this run, and the same number of the newest comparable earlier run. */
export interface Pair {
  readonly name: string;
  readonly now: number;
  readonly before: number;
  readonly from: KeptResults;
}

/**
 * Returns two tables: the earlier runs that are used, and the numbers of this run next to theirs. Requires `earlierResults` to
 * be sorted newest first.
 */
export function compareResults(now: Results, earlierResults: readonly KeptResults[]): Table[] {
  const pairs = pairUp(now, earlierResults);
  if (pairs.length === 0)
    return [
      {
        title: 'Nothing that was kept has the same trials, settings and conditions',
        head: ['results looked at'],
        rows: earlierResults.map(({ name }) => [name]),
      },
    ];
  const usedResults = earlierResults.filter((results) => pairs.some(({ from }) => from === results));
  return [tableOfRuns(now, usedResults), tableOfPairs(pairs)];
}

/**
 * Finds, for each number of this run, the same number in an earlier run under the same conditions. Leaves out numbers
 * that no earlier run has.
 */
export function pairUp(now: Results, earlierResults: readonly KeptResults[]): Pair[] {
  const alike = earlierResults
    .filter(({ conditions }) => isDeepStrictEqual(conditions, now.conditions))
    .map((from) => ({ from, figures: figuresOf(from) }));
  return figuresOf(now).flatMap(({ name, value, settings }) => {
    for (const { from, figures } of alike) {
      const found = figures.find(
        (figure) => figure.name === name && isDeepStrictEqual(figure.settings, settings),
      );
      if (found) return [{ name, now: value, before: found.value, from }];
    }
    return [];
  });
}

/**
 * Returns the numbers of a run that can be compared: goals, checks per second and latencies. Repeated rounds are
 * reduced to their median.
 */
export function figuresOf(results: Results): Figure[] {
  // Writes and parses the results, so that paths are shortened as in saved results.
  const { goals, rows } = JSON.parse(writeResults(results)) as Results;
  const trials = new Map<string, KeptRow[]>();
  for (const row of rows) {
    const name = `${row.group}: ${row.name.replace(/, round \d+$/, '')}`;
    trials.set(name, [...(trials.get(name) ?? []), row]);
  }
  const figures: Figure[] = goals.map(({ what, value }) => ({
    name: what,
    value: value ?? NaN,
    settings: null,
  }));
  for (const [name, rounds] of trials)
    for (const { label, read } of READINGS) {
      const value = median(rounds.map(({ result }) => read(result)));
      figures.push({ name: `${name}: ${label}`, value, settings: rounds[0]?.settings });
    }
  return figures.filter(({ value }) => Number.isFinite(value));
}

interface Loop {
  readonly perSecond?: number;
  readonly latency?: { readonly p50?: number; readonly p99?: number };
}

const READINGS: readonly { readonly label: string; readonly read: (result: unknown) => number }[] = [
  { label: 'a second', read: (result) => loopOf(result).perSecond ?? NaN },
  { label: 'p50 ms', read: (result) => loopOf(result).latency?.p50 ?? NaN },
  { label: 'p99 ms', read: (result) => loopOf(result).latency?.p99 ?? NaN },
];

const loopOf = (result: unknown): Loop => result ?? {};

function tableOfRuns(now: Results, usedResults: readonly KeptResults[]): Table {
  return {
    title: 'Compared with',
    head: ['results', 'made', 'commit', 'processor', 'cores', 'networks'],
    rows: [{ ...now, name: 'this run' }, ...usedResults].map(({ name, machine }) => [
      name,
      machine.date,
      machine.commit,
      machine.processor,
      String(machine.cores),
      isDeepStrictEqual(machine.models, now.machine.models) ? 'the same' : 'others',
    ]),
  };
}

function tableOfPairs(pairs: readonly Pair[]): Table {
  return {
    title: 'Now and then; in bold what differs by more than a tenth',
    head: ['what', 'now', 'then', 'now ÷ then', 'results'],
    rows: pairs.map(({ name, now, before, from }) => {
      const ratio = now / before;
      const isRemarkable = !(ratio < REMARKABLE && ratio > 1 / REMARKABLE);
      return [name, show(now), show(before), isRemarkable ? `**${show(ratio)}**` : show(ratio), from.name];
    }),
  };
}
