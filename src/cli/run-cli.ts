// Running the subcommand that the arguments name, and converting errors to messages and exit statuses.
import { RequestFault, CheckError, StartError } from 'telltale-engine/internal/base/errors.js';
import { readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { findNearest } from 'telltale-engine/internal/base/unknown-field.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { adviceOn, causeOf } from '../storage/db/faults.js';
import { UsageError, type ExitStatus } from './commands/command.js';
import { COMMANDS } from './commands/registry.js';
import type { Terminal } from './terminal/terminal.js';

const HELP = `Usage: telltale COMMAND [OPTIONS]

Detects AI-generated, AI-edited and face-swapped images.

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

'telltale COMMAND --help' explains a command. 'telltale --version' prints the
version. Settings are TELLTALE_* environment variables (docs/operating.md).`;

async function runCommand(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  const [first, ...rest] = args;
  const asksHelp = (text: string | undefined): boolean =>
    text === '--help' || text === '-h' || text === 'help';
  if (first === '--version') {
    await terminal.out.writeLine(readVersion());
    return 0;
  }
  const name = asksHelp(first) ? rest.shift() : first;
  const entry = COMMANDS.find((command) => command.name === name);
  if (name === undefined) {
    await (asksHelp(first) ? terminal.out : terminal.err).writeLine(HELP);
    return asksHelp(first) ? 0 : 2;
  }
  if (entry === undefined) {
    const near = findNearest(
      name,
      COMMANDS.map((command) => command.name),
    );
    const advice = near === null ? '' : `; did you mean '${near}'?`;
    return reportUsage(terminal, new UsageError(`There is no command '${name}'${advice}`), '');
  }
  const command = await entry.load();
  const help = command.helps?.[rest[0] ?? ''] ?? command.help;
  const end = rest.indexOf('--');
  // After `--`, even `-h` is a name and not an option.
  const options = end < 0 ? rest : rest.slice(0, end);
  if (asksHelp(first) || options.includes('--help') || options.includes('-h')) {
    await terminal.out.writeLine(help);
    return 0;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    if (isParseArgsError(error)) return reportUsage(terminal, explainOption(error, help), `${name} `);
    // An operator's invalid request, such as an unknown identifier, is reported like wrong usage.
    if (error instanceof UsageError || error instanceof RequestFault)
      return reportUsage(terminal, error, `${name} `);
    throw error;
  }
}

async function reportUsage(terminal: Terminal, error: Error, command: string): Promise<ExitStatus> {
  await terminal.err.writeLine(`telltale: ${visibleText(error.message)}`);
  await terminal.err.writeLine(`'telltale ${command}--help' explains the usage.`);
  return 2;
}

function isParseArgsError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

/**
 * Returns the error with shorter advice than Node's about names that begin with `-`. For an unknown option, suggests
 * the option in `help` that was probably meant.
 */
function explainOption(error: Error, help: string): Error {
  const [, fault = error.message, option] = /^(Unknown option '(.+?)')/.exec(error.message) ?? [];
  const near = option === undefined ? null : findNearest(option, help.match(/--[a-z-]+/g) ?? []);
  if (near !== null) return new UsageError(`${fault}; did you mean '${near}'?`);
  const isShort = /^-[^-]/.test(option ?? '');
  return new UsageError(isShort ? `${fault}; write '--' before a name that begins with '-'` : fault);
}

/** Adds why a database or an image store is unavailable, which only operators may see. */
function explainError(error: CheckError | StartError): string {
  if (!(error instanceof CheckError) || error.code !== 'unavailable') return error.message;
  const cause = causeOf(error);
  const message = adviceOn(error) ?? error.message;
  return cause === null ? message : `${message}: ${cause}`;
}

/** Runs `telltale ARGS` without ending the process. Never rejects: prints errors to `terminal.err`. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  try {
    return await runCommand(args, terminal);
  } catch (error) {
    if (terminal.signal.aborted) return 130;
    const isPlanned = error instanceof CheckError || error instanceof StartError;
    const text = isPlanned
      ? explainError(error)
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
    // Escapes each line separately: line breaks belong to the message, but names come from outside.
    await terminal.err.writeLine(`telltale: ${text.split('\n').map(visibleText).join('\n')}`);
    return 1;
  }
}
