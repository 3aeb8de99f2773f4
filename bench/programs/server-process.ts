// A server under test: a process of its own that says where it listens.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { peakMemoryMbOf, processorSecondsOf } from '../machine/processes.js';

/** How a server is started. */
export interface ServerCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A running server. */
export interface ServerProcess {
  readonly url: string;
  /** Most memory that it and its children have held at once, in MB, since their start. */
  readonly peakMemoryMb: () => number;
  /** That it and its children have used since their start. */
  readonly processorSeconds: () => number;
  /** Asks it to stop and waits for its end. */
  readonly stop: () => Promise<void>;
}

/** A worker of scans gives way to whatever else runs. */
const START_LIMIT_MS = 300_000;

/** Reads a line of what a server prints; gives its address once the server is ready, else null. */
export type ReadLine = (line: string) => string | null;

/** Starts `server`; resolves when `readLine` knows from what it prints that it is ready. */
export async function startServer(server: ServerCommand, readLine: ReadLine): Promise<ServerProcess> {
  const child = spawn(server.command, server.args, {
    cwd: server.cwd,
    // Peers load ONNX Runtime too, which otherwise reports to its maker.
    env: { ...process.env, ORT_DISABLE_TELEMETRY: '1', ...server.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)));
  const address = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${server.name} did not start in time`)), START_LIMIT_MS);
    const look = (line: string): void => {
      const url = readLine(line);
      if (url === null) return;
      clearTimeout(timer);
      resolve(url);
    };
    createInterface(child.stdout).on('line', look);
    createInterface(child.stderr).on('line', look);
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
