// Starting a server in a child process, which prints its address when it is ready.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { HttpTarget } from '../load/http-closed-loop.js';
import { peakMemoryMbOf, processorSecondsOf } from '../machine/processes.js';

export interface ServerCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ServerProcess {
  readonly url: string;
  /** Highest memory use of the server and its children since their start, in MB. */
  readonly peakMemoryMb: () => number;
  /** Processor seconds of the server and its children since their start. */
  readonly processorSeconds: () => number;
  readonly stop: () => Promise<void>;
}

/** A service under test. */
export interface Target extends HttpTarget {
  /** Highest memory use of the service's processes together, in MB. */
  readonly peakMemoryMb: () => number;
  /** 99th percentile of the event loop's delay since the start, in ms. NaN if the service does not report it. */
  readonly eventLoopDelayMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Maximum time for a server's start. Chosen: long, because scan workers run at low priority. */
const START_LIMIT_MS = 300_000;

/**
 * Function that reads one line of a server's output. Returns the server's address if the line says that the server is
 * ready. Otherwise returns null.
 */
export type ReadLine = (line: string) => string | null;

/** Starts `server`. Resolves when `readLine` returns the server's address. */
export async function startServer(server: ServerCommand, readLine: ReadLine): Promise<ServerProcess> {
  const child = spawn(server.command, server.args, {
    cwd: server.cwd,
    // Turns ONNX Runtime's telemetry off, which other programs would send too.
    env: { ...process.env, ORT_DISABLE_TELEMETRY: '1', ...server.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)));
  const address = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${server.name} did not start in time`)), START_LIMIT_MS);
    const resolveAddress = (line: string): void => {
      const url = readLine(line);
      if (url === null) return;
      clearTimeout(timer);
      resolve(url);
    };
    createInterface(child.stdout).on('line', resolveAddress);
    createInterface(child.stderr).on('line', resolveAddress);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${server.name} ended with status ${code}: ${complaint}`));
    });
  });
  const pid = child.pid ?? 0;
  return {
    url: await address,
    peakMemoryMb: () => peakMemoryMbOf(pid),
    processorSeconds: () => processorSecondsOf(pid),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
