// The command `telltale` as a process: its arguments, streams, signals and exit status.
import { readArguments } from 'telltale-engine/internal/base/file-names.js';
import { runCli } from './run-cli.js';
import { TerminalStream, type Terminal } from './terminal/terminal.js';

/** Aborts at the first Ctrl-C or SIGTERM; the second finds no handler left and ends the process at once. */
function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      controller.abort(new Error(`stopped by ${name}`));
    });
  }
  return controller.signal;
}

/** These go on when what they print can't be written: nobody needs their greeting. */
const SERVING = ['serve', 'worker'];
/** What is left of them after their end, such as a collector of traces that never answers, is waited for so long. */
const LINGER_MS = 1000;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (SERVING.includes(process.argv[2] ?? '')) return;
  // A reader that went away, such as `head`, is no fault to report: there is nobody left to write for.
  if (error.code !== 'EPIPE')
    process.stderr.write(`telltale: standard output can't be written (${error.code})\n`);
  process.exit(1);
});
// There is nowhere to report it.
process.stderr.on('error', () => undefined);

const terminal: Terminal = {
  out: new TerminalStream(process.stdout),
  err: new TerminalStream(process.stderr),
  signal: abortOnSignals(),
};
process.exitCode = await runCli(readArguments(process.argv.slice(2)), terminal);
// Its timer holds nothing up: it is for a process that something else holds.
if (SERVING.includes(process.argv[2] ?? '')) setTimeout(() => process.exit(), LINGER_MS).unref();
