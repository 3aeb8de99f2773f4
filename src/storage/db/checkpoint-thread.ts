// The program of the checkpoint thread: looks at the log's length and writes it back once it is long.
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

const LOOK_EVERY_MS = 250;
/** Pages of 4 KiB not yet written back. Chosen: SQLite's own figure for its automatic checkpoint. */
const LONG_PAGES = 1000;
/**
 * Pages of the whole log, after which writers wait (in their event loops, for the few pages that are left) so that it
 * begins anew. Under load without a pause a passive checkpoint never quite catches up. Chosen: 32 MiB.
 */
const TOO_LONG_PAGES = 8000;

interface Progress {
  /** Pages in the log, and how many of them are written back; -1 if there is no log yet. */
  readonly log: number;
  readonly checkpointed: number;
}

const connection = new BetterSqlite(workerData as string);
connection.pragma('busy_timeout = 0');

const checkpoint = (mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): Progress => {
  const [progress] = connection.pragma(`wal_checkpoint(${mode})`) as Progress[];
  return progress ?? { log: 0, checkpointed: 0 };
};

const look = (): void => {
  try {
    const { log, checkpointed } = checkpoint('NOOP');
    if (log - checkpointed < LONG_PAGES && log < TOO_LONG_PAGES) return;
    checkpoint('PASSIVE');
    if (log >= TOO_LONG_PAGES) checkpoint('TRUNCATE');
  } catch {
    // Another process writes back, or the disk is full: the next look tries again.
  }
};

const timer = setInterval(look, LOOK_EVERY_MS);
parentPort?.once('message', () => {
  clearInterval(timer);
  connection.close();
});
