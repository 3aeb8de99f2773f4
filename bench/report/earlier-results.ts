// Results as they are kept in a folder, and the numbers of a run beside those of earlier runs.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Machine } from '../machine/machine.js';
import { withoutFolder } from '../machine/machine.js';
import { BenchUsageError, type BenchOptions } from '../options.js';
import { median } from '../statistics.js';
import type { Row } from '../trials/runner.js';
import { type Goal, show, type Table } from './section.js';

/** What a number depends on besides the machine and the program: runs with others can't be compared. */
export interface Conditions {
  readonly isQuick: boolean;
  /** Name of the folder of somebody's own images; null: the corpus. */
  readonly files: string | null;
  readonly device: string;
  /** Libraries that were loaded before every program. */
  readonly preloaded: readonly string[];
}

/** A trial as results.json keeps it; older ones lack some of it. */
export type KeptRow = Pick<Row, 'group' | 'name' | 'settings' | 'result'> & Partial<Row>;

/** The contents of results.json. */
export interface Results {
  readonly command: string;
  readonly machine: Machine;
  readonly conditions: Conditions;
  readonly goals: readonly Goal[];
  readonly rows: readonly KeptRow[];
}

/** Results of a run before this one. */
export interface KeptResults extends Results {
  /** Name of their folder. */
  readonly name: string;
}

/** Runs that say nothing of their conditions had these. */
const PLAIN: Conditions = { isQuick: false, files: null, device: 'cpu', preloaded: [] };

/** Under which conditions this process runs the bench. */
export function describeConditions({ isQuick, files, device }: BenchOptions): Conditions {
  const preloaded = (process.env.LD_PRELOAD ?? '').split(/[\s:]+/).filter((path) => path !== '');
  return {
    isQuick,
    files: files === null ? null : basename(files),
    device,
    preloaded: preloaded.map((path) => basename(path)),
  };
}

/** The text of results.json. */
export function writeResults(results: Results): string {
  return `${JSON.stringify(results, (_, value: unknown) => withoutFolder(value), 1)}\n`;
}

/**
 * The results in `folder`, or those in its folders; newest first. Throws BenchUsageError if there is no such folder or none in it.
 */
export function readKept(folder: string): KeptResults[] {
  if (!existsSync(folder)) throw new BenchUsageError(`there is no folder '${folder}'`);
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const kept = [folder, ...below.map(({ name }) => join(folder, name))].flatMap(readOne);
  if (kept.length === 0) throw new BenchUsageError(`there is no results.json in '${folder}' or its folders`);
  return kept.sort((a, b) => b.machine.date.localeCompare(a.machine.date));
}

function readOne(folder: string): KeptResults[] {
  const path = join(folder, 'results.json');
  if (!existsSync(path)) return [];
  const results = JSON.parse(readFileSync(path, 'utf8')) as Omit<Results, 'conditions'> & Partial<Results>;
  return [{ conditions: PLAIN, ...results, name: basename(folder) }];
}

/** Beyond this, up or down, a difference is shown in bold. Chosen: what differs less may be chance. */
const REMARKABLE = 1.1;

/** A number under a name, as two runs may both have it. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** What it was measured with; null for a goal, whose name says it. */
  readonly settings: unknown;
}

/** A number of this run and the newest kept one of the same name, settings and conditions. */
export interface Pair {
  readonly name: string;
  readonly now: number;
  readonly before: number;
  readonly from: KeptResults;
}

/** Tables for the report: which results, and the pairs. `kept` newest first. */
export function compareResults(now: Results, kept: readonly KeptResults[]): Table[] {
  const pairs = pairUp(now, kept);
  if (pairs.length === 0)
    return [
      {
        title: 'Nothing that was kept has the same trials, settings and conditions',
        head: ['results looked at'],
        rows: kept.map(({ name }) => [name]),
      },
    ];
  const used = kept.filter((results) => pairs.some(({ from }) => from === results));
  return [tableOfRuns(now, used), tableOfPairs(pairs)];
}

/** Each number of this run that an earlier one has, too. */
export function pairUp(now: Results, kept: readonly KeptResults[]): Pair[] {
  const alike = kept
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

/** Goals, then checks a second and latencies of trials; rounds of one trial as their median. */
export function figuresOf(results: Results): Figure[] {
  // As they are read again: paths without their folders.
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

function tableOfRuns(now: Results, used: readonly KeptResults[]): Table {
  return {
    title: 'Compared with',
    head: ['results', 'made', 'commit', 'processor', 'cores', 'networks'],
    rows: [{ ...now, name: 'this run' }, ...used].map(({ name, machine }) => [
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
