// The results of a run as they are kept in a folder, and those that were kept before.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Machine } from '../machine.js';
import { BenchUsageError, type BenchOptions } from '../options.js';
import { withoutFolder } from '../paths.js';
import type { Goal } from '../report/section.js';
import type { Row } from '../runner.js';

/** What a number depends on besides the machine and the program: runs with others can't be compared. */
export interface Conditions {
  readonly isQuick: boolean;
  /** Name of the folder of somebody's own pictures; null: the corpus. */
  readonly files: string | null;
  readonly device: string;
  /** Libraries that were loaded before every program. */
  readonly preloaded: readonly string[];
}

/** A trial as results.json keeps it; older ones lack the load. */
export type KeptRow = Omit<Row, 'load'> & Partial<Pick<Row, 'load'>>;

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
