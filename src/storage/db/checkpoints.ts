// Writes SQLite's log back into its file from a thread of its own, so that no request waits for the disk.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** A process that ends sooner, as most commands do, needs no thread: its last connection writes the log back. */
const START_AFTER_MS = 1000;

const PROGRAM = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);

/** The thread of one database file. */
export interface Checkpoints {
  /** Resolves when the thread has closed its connection. */
  stop(): Promise<void>;
}

/**
 * Starts the thread for the database at `path`, a second from now. `onFault` is told if it fails, so that somebody else
 * writes the log back.
 */
export function startCheckpoints(path: string, onFault: () => void): Checkpoints {
  let thread: Worker | null = null;
  const timer = setTimeout(() => {
    thread = new Worker(PROGRAM, { workerData: path });
    thread.on('error', onFault).unref();
  }, START_AFTER_MS);
  timer.unref();
  return {
    async stop() {
      clearTimeout(timer);
      const running = thread;
      if (running === null || running.threadId === -1) return;
      // An error on the way ends the thread, too, and onFault has heard of it.
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.postMessage('stop');
      await ended;
    },
  };
}
