// Runs the service in its own processes: `telltale serve` as operators run it.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startTelltale } from './telltale.js';

/** A running `telltale serve`. */
export interface Served {
  readonly url: string;
  readonly process: ChildProcess;
  /** Returns what the service wrote to standard error. */
  log(): string;
  /** Returns what the service wrote to standard output. */
  output(): string;
  /** Sends the signal and waits for the end. Returns the exit code, or the signal that ended the process. */
  end(signal?: NodeJS.Signals): Promise<number | string>;
}

/** Starts the service on a free port and waits until it is ready. `preloads` are passed to startTelltale. */
export async function serve(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  preloads: readonly string[] = [],
): Promise<Served> {
  const child = startTelltale(['serve', '--port', '0', ...args], { env, preloads });
  let log = '';
  let output = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (log += text));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const match = /serves on (\S+)/.exec(output);
      if (match) resolve(match[1]!);
    });
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${log}`)));
  });
  return {
    url,
    process: child,
    log: () => log,
    output: () => output,
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return child.exitCode ?? child.signalCode!;
    },
  };
}
