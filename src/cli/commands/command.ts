// The type of a subcommand such as `telltale check`, and functions that read its options.
import { formatTable } from '../../tables/columns.js';
import type { Terminal } from '../terminal/terminal.js';
import { DETAIL_NAMES, type DetailName } from 'telltale-engine/internal/check/types.js';

/** Exit status: 0 success, 1 an image was refused or failed, 2 wrong usage, 130 stopped by Ctrl-C. */
export type ExitStatus = 0 | 1 | 2 | 130;

/** A subcommand of `telltale`. */
export interface Command {
  /** Help text. It must fit into 24 lines of 80 characters. */
  readonly help: string;
  /** Help texts of subcommands within this subcommand, by name. */
  readonly helps?: Readonly<Record<string, string>>;
  /**
   * Runs the subcommand. `args` are the arguments after its name. Rejects with UsageError or an error of
   * parseArgs for wrong usage, or with StartError or CheckError.
   */
  run(args: string[], terminal: Terminal): Promise<ExitStatus>;
}

/** Error of wrong usage: an unknown option, a missing path or contradicting options. Exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Message of commands that found nothing to check. */
export const NO_IMAGES = 'telltale: there are no images to check';

/** Message of commands that list nothing, on standard error so that standard output has rows only. */
export const EMPTY_LIST = 'telltale: the list is empty';

/** Formats a table with headings as lines. Returns no lines if there are no rows. */
export function tableLines(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : formatTable([heads.map((head) => head.toUpperCase()), ...rows]);
}

/**
 * Prints a result as JSON or as lines for people. Without lines, says on standard error that the list is empty.
 * Returns exit status 0.
 */
export async function print(
  { out, err }: Terminal,
  isJson: boolean,
  json: unknown,
  lines: readonly string[],
): Promise<ExitStatus> {
  if (isJson) await out.writeLine(JSON.stringify(json));
  else if (lines.length === 0) await err.writeLine(EMPTY_LIST);
  else for (const line of lines) await out.writeLine(line);
  return 0;
}

/** Throws UsageError for an unknown or missing nested subcommand. `knownActions` lists the valid ones. */
export function refuseAction(name: string | undefined, knownActions: string): never {
  throw new UsageError(
    `Expected ${knownActions} but received ${name === undefined ? 'nothing' : `'${name}'`}`,
  );
}

/** Returns `value` if it is one of `allowed`. Otherwise throws UsageError, which lists them. */
export function readChoice<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const choice = allowed.find((name) => name === value);
  if (choice === undefined)
    throw new UsageError(`Expected one of ${allowed.join(', ')} for ${option} but received '${value}'`);
  return choice;
}

/** Details that a check without a service can return. `seen` is missing: only a service remembers images. */
export const LOCAL_DETAILS: readonly DetailName[] = DETAIL_NAMES.filter((name) => name !== 'seen');

/** Returns the names of details in comma-separated lists. Throws UsageError for an unknown name. */
export function readInclude(lists: readonly string[]): DetailName[] {
  return readNames('--include', lists, LOCAL_DETAILS);
}

/** Returns the names in comma-separated lists. Throws UsageError for a name that is not in `knownNames`. */
export function readNames<T extends string>(
  option: string,
  lists: readonly string[],
  knownNames: readonly T[],
): T[] {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => readChoice(option, name, knownNames));
}

/** Formats names for a help text, in lines of at most 80 characters. Indents all lines except the first. */
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
