// Runs the command `telltale`: the compiled program in its own process, as users do, or in this process.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../src/cli/run-cli.js';
import { TerminalStream } from '../../src/cli/terminal/terminal.js';

/** Path of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the path of an image fixture. */
export function fixture(name: string): string {
  return join(ROOT, 'test/fixtures/images', name);
}

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Paths of JavaScript modules that the process loads first. */
  readonly preloads?: readonly string[];
}

const cli = join(ROOT, 'dist/cli/main.js');

/** Starts the command. Its standard streams are pipes to the caller. */
export function startTelltale(args: readonly string[], options: RunOptions = {}): ChildProcess {
  if (!existsSync(cli)) throw new Error("dist/cli/main.js is missing: 'npm test' compiles it");
  const { preloads = [] } = options;
  const modules = preloads.flatMap((module) => ['--import', module]);
  return spawn(process.execPath, [...modules, cli, ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
  });
}

/** Runs the command to its end. */
export function runTelltale(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return finish(startTelltale(args, options), options.input);
}

let isCalled = false;

/**
 * Runs the command in this process, as if its output were a pipe. This saves starting a process and loading
 * libraries, which take most of a command's time. Signals and standard input still need a process.
 */
export async function callTelltale(
  args: readonly string[],
  { env = {} }: Pick<RunOptions, 'env'> = {},
): Promise<Finished> {
  assert.ok(!isCalled, 'one call at a time: they share process.env');
  isCalled = true;
  const settings = { ...process.env };
  const output = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr'): TerminalStream => {
    const write: Writable['_write'] = (chunk: Buffer, _encoding, done) => {
      output[name] += chunk.toString();
      done();
    };
    return new TerminalStream(new Writable({ write }));
  };
  Object.assign(process.env, env);
  try {
    const [out, err] = [collect('stdout'), collect('stderr')];
    const status = await runCli(args, { out, err, signal: new AbortController().signal });
    return { status, ...output };
  } finally {
    for (const name of Object.keys(env)) {
      if (settings[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = settings[name];
    }
    isCalled = false;
  }
}

/**
 * Runs the command on a pseudo-terminal of 100 columns. Standard output and standard error are returned
 * together.
 */
export function runOnTerminal(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const command = ['stty cols 100;', ...[process.execPath, cli, ...args].map(quote)].join(' ');
  // Most build servers set CI, with which Node disables colours.
  const env = { ...process.env, CI: undefined, TERM: 'xterm-256color', ...options.env };
  return finish(spawn('script', ['-qec', command, '/dev/null'], { cwd: ROOT, env }), options.input);
}

function finish(child: ChildProcess, input: string | Uint8Array = ''): Promise<Finished> {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  child.stdin?.on('error', () => {
    // A program that refuses its arguments does not read its input, so errors of writing are ignored.
  });
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (status) => resolve({ status, ...output }));
  });
}
