// The parent's side of a reading process: starts it at first use, passes one file at a time, and ends it after a
// time-out.
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
import { READER_MEMORY_MB } from '../../engine/native/memory.js';
import { describeUnread, READ_TIMED_OUT, READER_FAILED } from './unread.js';

/** A file with the anchors to validate it against. */
export interface ReadingTask {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** A separate manifest store, or null. */
  readonly manifest: Uint8Array | null;
  readonly trust: ReaderTrust;
  /** Time limit in milliseconds from when the process is ready. */
  readonly timeoutMs: number;
}

/**
 * Milliseconds for starting a process. Chosen: a start takes a fraction of a second, much longer on a loaded machine.
 */
const START_TIMEOUT_MS = 30_000;

/**
 * Maximum private memory of a process, including stacks and V8's heap. A failed allocation beyond it ends the process.
 */
const MAX_PRIVATE_BYTES = READER_MEMORY_MB * 1_000_000;

const PROGRAM = fileURLToPath(new URL(`./reading-process${extname(import.meta.url)}`, import.meta.url));

/**
 * A process instead of a thread, because the C2PA library can't be interrupted: a manifest of a few hundred kilobytes
 * with circular ingredients keeps it busy for hours, but a process can be ended.
 */
export class ReadingWorker {
  #process: ChildProcess | null = null;
  #ready: Promise<ChildProcess> | null = null;
  #trust: ReaderTrust | null = null;

  /** Starts the process if it is not running. Rejects with StartError `config_invalid` if it can't start. */
  async start(): Promise<void> {
    holdLoop(await (this.#ready ??= this.#start()), false);
  }

  /**
   * Reads one file. Requires that the previous read has ended. Errors of the file are findings. Rejects with
   * StartError if the process can't start.
   */
  async read(task: ReadingTask): Promise<Credentials | null> {
    const process = await (this.#ready ??= this.#start());
    holdLoop(process, true);
    const answer = await this.#ask(process, task);
    if (answer === 'failed' || answer === 'timed out') {
      this.end();
      return describeUnread(answer === 'failed' ? READER_FAILED : READ_TIMED_OUT);
    }
    // The allocator keeps the memory that a hostile file required.
    if (answer.isGrown) this.end();
    else holdLoop(process, false);
    return answer.credentials;
  }

  /** Ends the process, also during a read; a later read starts a new one. */
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
      this.end();
      const reason = (cause as Error).message;
      throw new StartError(
        'config_invalid',
        `The process that reads Content Credentials does not start: ${reason}`,
        { cause },
      );
    }
  }
}

/** Starts the program with a memory limit. Throws if this Node can't or may not run it. */
function startProcess(): ChildProcess {
  // Undefined without --permission, contrary to its type.
  const permission = process.permission as NodeJS.ProcessPermission | undefined;
  if (permission?.has('child') === false)
    throw new Error("Node's permission model forbids child processes; add --allow-child-process");
  // Such an executable would run the embedding program again.
  if (isSea()) throw new Error('a single executable application is not Node; use an installed Node');
  if (!existsSync(PROGRAM))
    throw new Error(`${PROGRAM} is missing; leave telltale-engine out of the bundle of your program`);
  // Loaded before the fork: if it fails, no child must remain that keeps the program running.
  const { limitMemory } = loadBinding();
  const child = fork(PROGRAM, {
    // Not this process's own options: with -e or a preload, the child would run another program.
    execArgv: nodeOptions(),
    // Keeps settings and keys out of the library's reach. Threads and their heaps count as memory, too.
    env: {
      TOKIO_WORKER_THREADS: '2',
      MALLOC_ARENA_MAX: '2',
      ...('electron' in process.versions && { ELECTRON_RUN_AS_NODE: '1' }),
    },
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  // A process that failed to start has no id; its event `error` has the reason.
  if (child.pid !== undefined && !limitMemory(child.pid, MAX_PRIVATE_BYTES)) {
    child.kill('SIGKILL');
    throw new Error('the system refuses to limit its memory');
  }
  return child;
}

/** Returns the Node options without which the program does not start. */
function nodeOptions(): string[] {
  // From Node 24 on, V8 reserves 512 MB for compiled code, which count as memory; without a compiler it does not.
  const options = Number.parseInt(process.versions.node) >= 24 ? ['--jitless'] : [];
  // TypeScript sources need the loader of this process.
  if (PROGRAM.endsWith('.ts')) return [...options, ...process.execArgv];
  if (!('pnp' in process.versions)) return options;
  // Yarn's Plug'n'Play finds packages by its own loaders, which are in one folder.
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

/** Keeps the program running only while the process works. */
function holdLoop(process: ChildProcess, hold: boolean): void {
  const way = hold ? 'ref' : 'unref';
  process[way]();
  process.channel?.[way]();
  (process.stdin as unknown as { ref(): void; unref(): void } | null)?.[way]();
}
