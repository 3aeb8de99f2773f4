// The parent's side of a process that reads Content Credentials: starts it when first needed, sends it one
// file at a time, and ends it after a time-out.
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StartError } from '../../base/errors.js';
import { loadBinding } from '../../engine/native/binding.js';
import type { Credentials } from '../types.js';
import type { ReaderTrust } from './read-manifest.js';
import type { ReadingAnswer, ReadingJob, StartMessage } from './reading-process.js';
import { READER_MEMORY_MB } from '../../engine/native/options.js';
import { describeUnread, READ_TIMED_OUT, READER_FAILED } from './find-credentials.js';

/** A file to read, and the trusted certificates to validate it with. */
export interface ReadingTask {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Manifest store that came separately, or null. */
  readonly manifest: Uint8Array | null;
  readonly trust: ReaderTrust;
  /** Maximum milliseconds, counted from when the process is ready. */
  readonly timeoutMs: number;
}

/** Maximum milliseconds for starting a process: usually a fraction of a second, more on a loaded machine. */
const START_TIMEOUT_MS = 30_000;

/** Maximum private memory, including stacks and V8's heap. A failed allocation ends the process. */
const MAX_PRIVATE_BYTES = READER_MEMORY_MB * 1_000_000;

const PROGRAM = fileURLToPath(new URL(`./reading-process${extname(import.meta.url)}`, import.meta.url));

/**
 * Reads files in a process, because a thread can't be stopped within the C2PA library. A manifest of a few
 * hundred kilobytes with circular ingredients keeps the library busy for hours.
 */
export class ReadingWorker {
  #process: ChildProcess | null = null;
  #ready: Promise<ChildProcess> | null = null;
  #trust: ReaderTrust | null = null;

  /** Starts the process unless it is running. Rejects with StartError `config_invalid` if that fails. */
  async start(): Promise<void> {
    letProgramExit(await this.#open());
  }

  /**
   * Reads one file. Requires that the previous read has ended. Reports errors of the file as findings.
   * Rejects with StartError if the process can't start.
   */
  async read(task: ReadingTask): Promise<Credentials | null> {
    const process = await this.#open();
    keepProgramRunning(process);
    const answer = await this.#ask(process, task);
    if (answer === 'failed' || answer === 'timed out') {
      this.end();
      return describeUnread(answer === 'failed' ? READER_FAILED : READ_TIMED_OUT);
    }
    // Replaces the process after a hostile file, because its memory is never returned to the system.
    if (answer.isGrown) this.end();
    else letProgramExit(process);
    return answer.credentials;
  }

  /** Ends the process, even during a read. A later read starts a new process. */
  end(): void {
    this.#process?.kill('SIGKILL');
    this.#process = null;
    this.#ready = null;
    this.#trust = null;
  }

  #ask(process: ChildProcess, task: ReadingTask): Promise<ReadingAnswer | NoMessage> {
    const job: ReadingJob = {
      mimeType: task.mimeType,
      sizeBytes: task.bytes.byteLength,
      manifestBytes: task.manifest?.byteLength ?? 0,
      ...(this.#trust !== task.trust && { trust: task.trust }),
    };
    this.#trust = task.trust;
    const answer = nextMessage<ReadingAnswer>(process, task.timeoutMs);
    process.send(job);
    if (task.manifest !== null) process.stdin?.write(task.manifest);
    process.stdin?.write(task.bytes);
    return answer;
  }

  /** Returns the process, and starts it if necessary. After a failed start, the next call tries again. */
  #open(): Promise<ChildProcess> {
    if (this.#ready) return this.#ready;
    const ready = (this.#ready = this.#start());
    ready.catch(() => {
      if (this.#ready === ready) this.end();
    });
    return ready;
  }

  async #start(): Promise<ChildProcess> {
    try {
      const child = (this.#process = startProcess());
      const forget = (): void => {
        if (this.#process === child) this.end();
      };
      // Without a listener, an error such as a write to an ended process would end the service.
      child.on('exit', forget).on('error', forget);
      child.stdin?.on('error', forget);
      const message = await nextMessage<StartMessage>(child, START_TIMEOUT_MS);
      if (message === 'timed out') throw new Error(`it was not ready within ${START_TIMEOUT_MS / 1000} s`);
      if (message === 'failed') throw new Error(`it ended with ${child.signalCode ?? child.exitCode}`);
      if (message.fault !== null) throw new Error(message.fault);
      return child;
    } catch (cause) {
      const reason = (cause as Error).message;
      throw new StartError(
        'config_invalid',
        `The process that reads Content Credentials does not start: ${reason}`,
        { cause },
      );
    }
  }
}

/** Starts the process with a memory limit. Throws if this Node can't or may not start it. */
function startProcess(): ChildProcess {
  // Undefined without the option --permission, although the type says otherwise.
  const permission = process.permission as NodeJS.ProcessPermission | undefined;
  if (permission?.has('child') === false)
    throw new Error("Node's permission model forbids child processes; add --allow-child-process");
  // A single executable application can't run other scripts; it would start the embedding program again.
  if (isSea()) throw new Error('a single executable application is not Node; use an installed Node');
  if (!existsSync(PROGRAM))
    throw new Error(`${PROGRAM} is missing; leave telltale-engine out of the bundle of your program`);
  // Loaded before the fork, so that a failure leaves no child that keeps the program running.
  const { limitMemory } = loadBinding();
  const child = fork(PROGRAM, {
    // Replaces the inherited Node options, because with -e or a preload the child would run another program.
    execArgv: nodeOptions(),
    // Hides the service's settings and keys from the library. Few threads, because their memory counts, too.
    env: {
      TOKIO_WORKER_THREADS: '2',
      MALLOC_ARENA_MAX: '2',
      ...('electron' in process.versions && { ELECTRON_RUN_AS_NODE: '1' }),
    },
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  // A process that failed to start has no id; its `error` event has the reason.
  if (child.pid !== undefined && !limitMemory(child.pid, MAX_PRIVATE_BYTES)) {
    child.kill('SIGKILL');
    throw new Error('the system refuses to limit its memory');
  }
  return child;
}

/** Returns the Node options that the program needs. */
function nodeOptions(): string[] {
  // Since Node 24, V8 reserves 512 MB for compiled code, which counts as memory; --jitless avoids this.
  const options = Number.parseInt(process.versions.node) >= 24 ? ['--jitless'] : [];
  // TypeScript sources need the loader that this process uses.
  if (PROGRAM.endsWith('.ts')) return [...options, ...process.execArgv];
  if (!('pnp' in process.versions)) return options;
  // Yarn's Plug'n'Play installs packages without node_modules, so the child needs its loaders to find them.
  const loader = createRequire(import.meta.url).resolve('pnpapi');
  const moduleLoader = join(dirname(loader), '.pnp.loader.mjs');
  options.push('--require', loader);
  if (existsSync(moduleLoader)) options.push('--experimental-loader', pathToFileURL(moduleLoader).href);
  return options;
}

/** Reason why no message arrived: the process ended, or the time limit passed. */
type NoMessage = 'failed' | 'timed out';

function nextMessage<Message>(process: ChildProcess, timeoutMs: number): Promise<Message | NoMessage> {
  return new Promise((resolve) => {
    const settle = (outcome: Message | NoMessage): void => {
      clearTimeout(timer);
      process.off('message', settle).off('exit', fail).off('error', fail);
      process.stdin?.off('error', fail);
      resolve(outcome);
    };
    const fail = (): void => {
      settle('failed');
    };
    const timer = setTimeout(() => {
      settle('timed out');
    }, timeoutMs);
    process.on('message', settle).on('exit', fail).on('error', fail);
    process.stdin?.on('error', fail);
  });
}

/** Keeps the program from exiting while the process works. */
function keepProgramRunning(process: ChildProcess): void {
  setReference(process, 'ref');
}

/** Lets the program exit, because the process has no work. */
function letProgramExit(process: ChildProcess): void {
  setReference(process, 'unref');
}

function setReference(process: ChildProcess, method: 'ref' | 'unref'): void {
  process[method]();
  process.channel?.[method]();
  (process.stdin as unknown as { ref(): void; unref(): void } | null)?.[method]();
}
