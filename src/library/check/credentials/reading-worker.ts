// The parent's side of one reading process: started when first needed, handed one file at a time, ended when it hangs.
import { fork, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Credentials } from '../types.js';
import type { ReaderTrust } from './read-manifest.js';
import type { ReadingAnswer, ReadingJob, ReadyMessage } from './reading-process.js';
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

/** Chosen: loading takes a fraction of a second, and a machine under heavy load must not make sound files unreadable. */
const START_TIMEOUT_MS = 30_000;

/** Of private memory, threads' stacks and V8's heap included; beyond it an allocation fails, which ends the process. */
const DATA_LIMIT_KB = (READER_MEMORY_MB * 1_000_000) >> 10;

/** From Node 24 on, V8 reserves 512 MB for compiled code, which count; without a compiler it doesn't. */
const RESERVES_CODE = Number.parseInt(process.versions.node) >= 24;

const PROGRAM = fileURLToPath(new URL(`./reading-process${extname(import.meta.url)}`, import.meta.url));

/**
 * A process of its own, not a thread, because the C2PA library can't be interrupted. A manifest of a few hundred
 * kilobytes whose ingredients refer to each other keeps it busy for hours. A process can be ended.
 */
export class ReadingWorker {
  #process: ChildProcess | null = null;
  #isReady = false;
  #trust: ReaderTrust | null = null;

  /** Reads one file; the caller waits for the answer before the next. Never rejects. */
  async read(task: ReadingTask): Promise<Credentials | null> {
    const process = (this.#process ??= this.#start());
    holdLoop(process, true);
    const outcome = this.#isReady ? 'ready' : await nextMessage<ReadyMessage>(process, START_TIMEOUT_MS);
    const answer = outcome === 'ready' ? await this.#ask(process, task) : outcome;
    if (answer === 'failed' || answer === 'timed out') {
      this.end();
      return describeUnread(answer === 'failed' ? READER_FAILED : READ_TIMED_OUT);
    }
    // What a hostile file made it take, its allocator would keep.
    if (answer.isGrown) this.end();
    else holdLoop(process, false);
    return answer.credentials;
  }

  /** Ends the process, also in the middle of a read; a later read starts a fresh one. */
  end(): void {
    this.#process?.kill('SIGKILL');
    this.#process = null;
    this.#isReady = false;
    this.#trust = null;
  }

  #ask(process: ChildProcess, task: ReadingTask): Promise<ReadingAnswer | NoMessage> {
    this.#isReady = true;
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

  #start(): ChildProcess {
    const child = fork(PROGRAM, {
      // A shell sets the limit and becomes the program: Node can't limit what native code takes.
      execPath: '/bin/sh',
      execArgv: [
        '-c',
        `ulimit -d ${DATA_LIMIT_KB} && exec "$0" "$@"`,
        globalThis.process.execPath,
        ...(RESERVES_CODE ? ['--jitless'] : []),
        ...globalThis.process.execArgv,
      ],
      // Nothing of the service's settings or keys is in reach of the library. Threads and their heaps count, too.
      env: { TOKIO_WORKER_THREADS: '2', MALLOC_ARENA_MAX: '2' },
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    const forget = (): void => {
      if (this.#process === child) this.end();
    };
    // An error without a listener would end the service: a write to a process that was ended is one.
    child.on('exit', forget).on('error', forget);
    child.stdin?.on('error', forget);
    return child;
  }
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
