// What a subcommand of `telltale` is, and how it says that it was called wrongly.
import { formatTable } from '../../tables/columns.js';
import type { Terminal } from '../terminal/terminal.js';
import { DETAIL_NAMES, type DetailName } from 'telltale-engine/internal/check/types.js';

/** 0 all done, 1 something was refused or failed, 2 wrong usage, 130 stopped by Ctrl-C. */
export type ExitStatus = 0 | 1 | 2 | 130;

/** One subcommand. */
export interface Command {
  /** Fits one screen: 24 lines of 80 characters. */
  readonly help: string;
  /** Of subcommands that have a help of their own, by name. */
  readonly helps?: Readonly<Record<string, string>>;
  /**
   * Runs with the arguments that follow the command's name. Rejects with UsageError, with parseArgs' own errors
   * (taken for usage errors too), StartError or CheckError.
   */
  run(args: string[], terminal: Terminal): Promise<ExitStatus>;
}

/** A call that can't be meant: unknown option, missing path, options that exclude each other. Exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Lines of a table under its heads; no line at all without rows. */
export function tableLines(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : formatTable([heads.map((head) => head.toUpperCase()), ...rows]);
}

/** Prints what a command found: `json` for programs, or lines for people. Gives the status of success. */
export async function print(
  { out }: Terminal,
  isJson: boolean,
  json: unknown,
  lines: readonly string[],
): Promise<ExitStatus> {
  if (isJson) await out.writeLine(JSON.stringify(json));
  else for (const line of lines) await out.writeLine(line);
  return 0;
}

/** Of a command with subcommands of their own files: throws UsageError for a name that is none. */
export function refuseAction(name: string | undefined, known: string): never {
  throw new UsageError(`Expected ${known} but received ${name === undefined ? 'nothing' : `'${name}'`}`);
}

/** `value` as one of `allowed`. Throws UsageError that lists them. */
export function readChoice<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`Expected one of ${allowed.join(', ')} for ${option} but received '${value}'`);
  return found;
}

/** Details of a check without a service, which alone remembers images. */
export const LOCAL_DETAILS: readonly DetailName[] = DETAIL_NAMES.filter((name) => name !== 'seen');

/** The names of all `lists`, each separated by commas. Throws UsageError for one that is no detail. */
export function readInclude(lists: readonly string[]): DetailName[] {
  return readNames('--include', lists, LOCAL_DETAILS);
}

/** The names of all `lists` of `option`, each separated by commas. Throws UsageError for one that is not in `known`. */
export function readNames<T extends string>(
  option: string,
  lists: readonly string[],
  known: readonly T[],
): T[] {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => readChoice(option, name, known));
}

/** Names for a help text: lines of at most 80 characters, the second and later ones indented. */
export function listNames(names: readonly string[], indent: number): string {
  const lines = [''];
  for (const name of names) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? name : `${line}, ${name}`;
    if (indent + longer.length < 80) lines[lines.length - 1] = longer;
    else lines.push(name);
  }
  return lines.join(`,\n${' '.repeat(indent)}`);
}
