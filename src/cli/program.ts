// Running the command `telltale` as a process, with its arguments, streams, signals and exit status.
import { readArguments } from 'telltale-engine/internal/base/files.js';
import { runCli } from './run-cli.js';
import { TerminalStream, type Terminal } from './terminal/terminal.js';

/** Returns a signal that aborts at the first Ctrl-C or SIGTERM. A second one ends the process immediately. */
function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      controller.abort(new Error(`stopped by ${name}`));
    });
  }
  return controller.signal;
}

/** Commands that continue if their output can't be written, because they serve requests or scans. */
const SERVING = ['serve', 'worker'];
/** Milliseconds that remaining work, such as sending traces, may take after the end of these commands. */
const LINGER_MS = 1000;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (SERVING.includes(process.argv[2] ?? '')) return;
  // A reader such as `head` may stop early, which is not an error.
  if (error.code !== 'EPIPE')
    process.stderr.write(`telltale: standard output can't be written (${error.code})\n`);
  process.exit(1);
});
// Ignored, because errors of standard error can't be reported anywhere.
process.stderr.on('error', () => undefined);

const terminal: Terminal = {
  out: new TerminalStream(process.stdout),
  err: new TerminalStream(process.stderr),
  signal: abortOnSignals(),
};
process.exitCode = await runCli(readArguments(process.argv.slice(2)), terminal);
// Ends a process that something else keeps running. The timer itself keeps no process running.
if (SERVING.includes(process.argv[2] ?? '')) setTimeout(() => process.exit(), LINGER_MS).unref();
