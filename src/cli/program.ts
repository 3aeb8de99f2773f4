// The command `telltale` as a process: arguments, streams, signals and exit status.
import { readArguments } from 'telltale-engine/internal/base/file-names.js';
import { runCli } from './run-cli.js';
import { TerminalStream, type Terminal } from './terminal/terminal.js';

/** Returns a signal that aborts at the first Ctrl-C or SIGTERM. A second one ends the process at once. */
function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      controller.abort(new Error(`stopped by ${name}`));
    });
  }
  return controller.signal;
}

/** Commands that continue when their output can't be written, because nobody needs it. */
const SERVING = ['serve', 'worker'];
/** Milliseconds to wait for remaining work after their end, such as a trace collector that never responds. */
const LINGER_MS = 1000;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (SERVING.includes(process.argv[2] ?? '')) return;
  // A reader that ended early, such as `head`, is not an error.
  if (error.code !== 'EPIPE')
    process.stderr.write(`telltale: standard output can't be written (${error.code})\n`);
  process.exit(1);
});
// Errors of standard error can't be reported anywhere.
process.stderr.on('error', () => undefined);

const terminal: Terminal = {
  out: new TerminalStream(process.stdout),
  err: new TerminalStream(process.stderr),
  signal: abortOnSignals(),
};
process.exitCode = await runCli(readArguments(process.argv.slice(2)), terminal);
// The timer does not keep the process alive; it ends a process that something else keeps alive.
if (SERVING.includes(process.argv[2] ?? '')) setTimeout(() => process.exit(), LINGER_MS).unref();
