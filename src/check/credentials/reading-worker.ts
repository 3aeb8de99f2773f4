// The parent's side of one reading process: started when first needed, handed one file at a time, ended when it hangs.
import { fork, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Credentials } from '../types.js';
import type { ReaderTrust } from './read-manifest.js';
import type { ReadingAnswer, ReadingJob } from './reading-process.js';
import { describeUnread, READ_TIMED_OUT, READER_FAILED } from './unread.js';

/** One file and the anchors to judge it by. */
export interface ReadingTask {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly trust: ReaderTrust;
  readonly timeoutMs: number;
}

const PROGRAM = fileURLToPath(new URL(`./reading-process${extname(import.meta.url)}`, import.meta.url));

/**
 * A process of its own, not a thread: the C2PA library can't be interrupted, and a manifest of a few hundred kilobytes
 * whose ingredients refer to each other keeps it busy for hours. A process can be ended.
 */
export class ReadingWorker {
  #process: ChildProcess | null = null;
  #trust: ReaderTrust | null = null;

  /** Reads one file; the caller waits for the answer before the next. Never rejects. */
  async read(task: ReadingTask): Promise<Credentials | null> {
    const process = (this.#process ??= this.#start());
    holdLoop(process, true);
    const job: ReadingJob = {
      mimeType: task.mimeType,
      sizeBytes: task.bytes.byteLength,
      ...(this.#trust !== task.trust && { trust: task.trust }),
    };
    this.#trust = task.trust;
    const answer = await askProcess(process, job, task);
    if (answer === 'failed' || answer === 'timed out') {
      this.end();
      return describeUnread(answer === 'failed' ? READER_FAILED : READ_TIMED_OUT);
    }
    holdLoop(process, false);
    return answer.credentials;
  }

  /** Ends the process, also in the middle of a read; a later read starts a fresh one. */
  end(): void {
    this.#process?.kill('SIGKILL');
    this.#process = null;
    this.#trust = null;
  }

  #start(): ChildProcess {
    const child = fork(PROGRAM, {
      // Nothing of the service's settings or keys is in reach of the library.
      env: {},
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

/** The answer; 'failed' where the process ends first, 'timed out' where neither happens in time. */
function askProcess(
  process: ChildProcess,
  job: ReadingJob,
  { bytes, timeoutMs }: ReadingTask,
): Promise<ReadingAnswer | 'failed' | 'timed out'> {
  return new Promise((resolve) => {
    const settle = (outcome: ReadingAnswer | 'failed' | 'timed out'): void => {
      clearTimeout(timer);
      process.off('message', settle).off('exit', fail).off('error', fail);
      process.stdin?.off('error', fail);
      resolve(outcome);
    };
    const fail = (): void => settle('failed');
    const timer = setTimeout(() => settle('timed out'), timeoutMs);
    process.on('message', settle).on('exit', fail).on('error', fail);
    process.stdin?.on('error', fail);
    process.send(job);
    process.stdin?.write(bytes);
  });
}

/** An idle process must not keep the program from ending; one that works must. */
function holdLoop(process: ChildProcess, hold: boolean): void {
  const way = hold ? 'ref' : 'unref';
  process[way]();
  process.channel?.[way]();
  (process.stdin as unknown as { ref(): void; unref(): void } | null)?.[way]();
}
