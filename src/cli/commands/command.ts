// What a subcommand of `telltale` is, and how it says that it was called wrongly.
import type { Terminal } from '../terminal/terminal.js';

/** 0 all done, 1 something was refused or failed, 2 wrong usage, 3 done for nothing, 130 stopped by Ctrl-C. */
export type ExitStatus = 0 | 1 | 2 | 3 | 130;

/** One subcommand. */
export interface Command {
  /** Fits one screen: 24 lines of 80 characters. */
  readonly help: string;
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

/** `value` as one of `allowed`. Throws UsageError that lists them. */
export function readChoice<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`Expected one of ${allowed.join(', ')} for ${option} but received '${value}'`);
  return found;
}
