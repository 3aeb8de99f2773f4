// The parent's side of one reading process: started when first needed, handed one file at a time, ended when it hangs.
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

/** One file and the anchors to judge it by. */
export interface ReadingTask {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** A manifest store that lies elsewhere; null: the file's own counts. */
  readonly manifest: Uint8Array | null;
  readonly trust: ReaderTrust;
  /** From when the process is ready. */
  readonly timeoutMs: number;
}

/** Time to start a process. Chosen: starting takes a fraction of a second, much longer on a machine under heavy load. */
const START_TIMEOUT_MS = 30_000;

/** Maximum private memory of a process, stacks and V8's heap included. A failed allocation beyond it ends the process. */
const MAX_PRIVATE_BYTES = READER_MEMORY_MB * 1_000_000;

const PROGRAM = fileURLToPath(new URL(`./reading-process${extname(import.meta.url)}`, import.meta.url));

/**
 * A process of its own, not a thread, because the C2PA library can't be interrupted. A manifest of a few hundred
 * kilobytes whose ingredients refer to each other keeps it busy for hours. A process can be ended.
 */
export class ReadingWorker {
  #process: ChildProcess | null = null;
  #ready: Promise<ChildProcess> | null = null;
  #trust: ReaderTrust | null = null;

  /** Starts the process unless it runs. Rejects with StartError `config_invalid` if it can't start. */
  async start(): Promise<void> {
    holdLoop(await (this.#ready ??= this.#start()), false);
  }

  /**
   * Reads one file; the caller waits for the answer before the next. Faults of the file are findings. Rejects with
   * StartError if no process can be started.
   */
  async read(task: ReadingTask): Promise<Credentials | null> {
    const process = await (this.#ready ??= this.#start());
    holdLoop(process, true);
    const answer = await this.#ask(process, task);
    if (answer === 'failed' || answer === 'timed out') {
      this.end();
      return describeUnread(answer === 'failed' ? READER_FAILED : READ_TIMED_OUT);
    }
    // The allocator keeps the memory that a hostile file made it take.
    if (answer.isGrown) this.end();
    else holdLoop(process, false);
    return answer.credentials;
  }

  /** Ends the process, also in the middle of a read; a later read starts a fresh one. */
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
      // An error without a listener would end the service: a write to a process that was ended is one.
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

/** Starts the program with a limit on its memory. Throws if this Node can't or may not run it. */
function startProcess(): ChildProcess {
  // Undefined without --permission, contrary to its type.
  const permission = process.permission as NodeJS.ProcessPermission | undefined;
  if (permission?.has('child') === false)
    throw new Error("Node's permission model forbids child processes; add --allow-child-process");
  // Such an executable would run the embedding program again.
  if (isSea()) throw new Error('a single executable application is not Node; use an installed Node');
  if (!existsSync(PROGRAM))
    throw new Error(`${PROGRAM} is missing; leave telltale-engine out of the bundle of your program`);
  const child = fork(PROGRAM, {
    // Not those of this process: with -e or a preload, the child would run another program than its own.
    execArgv: nodeOptions(),
    // Settings and keys stay out of the library's reach. Threads and their heaps count as memory, too.
    env: {
      TOKIO_WORKER_THREADS: '2',
      MALLOC_ARENA_MAX: '2',
      ...('electron' in process.versions && { ELECTRON_RUN_AS_NODE: '1' }),
    },
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  // A process that failed to start has no id; its event `error` says why.
  if (child.pid !== undefined && !loadBinding().limitMemory(child.pid, MAX_PRIVATE_BYTES)) {
    child.kill('SIGKILL');
    throw new Error('the system refuses to limit its memory');
  }
  return child;
}

/** Returns the options of Node without which the program does not start. */
function nodeOptions(): string[] {
  // From Node 24 on, V8 reserves 512 MB for compiled code, which count as memory; without a compiler it doesn't.
  const options = Number.parseInt(process.versions.node) >= 24 ? ['--jitless'] : [];
  // Sources in TypeScript need the loader that this process has.
  if (PROGRAM.endsWith('.ts')) return [...options, ...process.execArgv];
  if (!('pnp' in process.versions)) return options;
  // Yarn's Plug'n'Play finds packages by its own loaders, which lie together.
  const loader = createRequire(import.meta.url).resolve('pnpapi');
  const moduleLoader = join(dirname(loader), '.pnp.loader.mjs');
  options.push('--require', loader);
  if (existsSync(moduleLoader)) options.push('--experimental-loader', pathToFileURL(moduleLoader).href);
  return options;
}

/** Why no message came: the process ended first, or neither happened in time. */
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

/** An idle process must not keep the program from ending; one that works must. */
function holdLoop(process: ChildProcess, hold: boolean): void {
  const way = hold ? 'ref' : 'unref';
  process[way]();
  process.channel?.[way]();
  (process.stdin as unknown as { ref(): void; unref(): void } | null)?.[way]();
}
