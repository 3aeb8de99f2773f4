// Type of a subcommand of `telltale`, and reading its options.
import { formatTable } from '../../tables/columns.js';
import type { Terminal } from '../terminal/terminal.js';
import { DETAIL_NAMES, type DetailName } from 'telltale-engine/internal/check/types.js';

/** Exit status: 0 success, 1 an image was refused or failed, 2 wrong usage, 130 stopped by Ctrl-C. */
export type ExitStatus = 0 | 1 | 2 | 130;

/** A subcommand. */
export interface Command {
  /** Help text of at most 24 lines of 80 characters. */
  readonly help: string;
  /** Help texts of nested subcommands, by name. */
  readonly helps?: Readonly<Record<string, string>>;
  /**
   * Runs with the arguments after the command's name. Rejects with UsageError, with errors of parseArgs (treated as
   * usage errors), StartError or CheckError.
   */
  run(args: string[], terminal: Terminal): Promise<ExitStatus>;
}

/** Error of wrong usage: unknown option, missing path, or options that exclude each other. Exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Formats a table with headings. Returns an empty list without rows. */
export function tableLines(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : formatTable([heads.map((head) => head.toUpperCase()), ...rows]);
}

/** Prints a result as `json` for programs or as lines for people. Returns the status of success. */
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

/** Throws UsageError for an unknown nested subcommand. */
export function refuseAction(name: string | undefined, known: string): never {
  throw new UsageError(`Expected ${known} but received ${name === undefined ? 'nothing' : `'${name}'`}`);
}

/** Returns `value` if it is one of `allowed`. Throws UsageError that lists them. */
export function readChoice<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`Expected one of ${allowed.join(', ')} for ${option} but received '${value}'`);
  return found;
}

/** Details of a check without a service, because only a service remembers images. */
export const LOCAL_DETAILS: readonly DetailName[] = DETAIL_NAMES.filter((name) => name !== 'seen');

/** Returns the details named in `lists`, separated by commas. Throws UsageError for an unknown detail. */
export function readInclude(lists: readonly string[]): DetailName[] {
  return readNames('--include', lists, LOCAL_DETAILS);
}

/** Returns the names in `lists` of `option`, separated by commas. Throws UsageError for a name outside `known`. */
export function readNames<T extends string>(
  option: string,
  lists: readonly string[],
  known: readonly T[],
): T[] {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => readChoice(option, name, known));
}

/** Lists names for a help text in lines of at most 80 characters, indented from the second line on. */
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
