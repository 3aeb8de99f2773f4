// Opens SQLite with better-sqlite3: write-ahead log, one connection per process, and transactions that begin by taking
// the write lock.
import { stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { makePrivateFile, makePrivateFolder, PRIVATE_FILE, setMode } from '../private-files.js';
import { type OpenedDialect, QUIET, watchDriver } from './dialect.js';
import { CHECKPOINTS, openThreads, READS } from './sqlite-threads.js';

/** Methods of better-sqlite3's connection that are used here. */
interface Connection {
  pragma(statement: string): unknown;
}

/** Methods of Knex's internal transaction that are used here but missing from Knex's public types. */
interface RawTransaction {
  begin: (connection: unknown) => unknown;
  query: (connection: unknown, sql: string) => unknown;
}

/**
 * Opens the file at `path`. Creates a missing file and folder so that only this user can read them, because they
 * contain keys and secrets.
 */
export async function openSqlite(path: string): Promise<OpenedDialect> {
  await makePrivateFolder(dirname(path));
  makePrivateFile(path);
  // SQLite gives its log and the log's index the mode of the main file.
  for (const end of ['', '-wal', '-shm']) setMode(`${path}${end}`, PRIVATE_FILE);
  const { default: knexModule } = await import('knex');
  const knex = watchDriver(
    knexModule({
      client: 'better-sqlite3',
      connection: { filename: path },
      useNullAsDefault: true,
      log: QUIET,
      // Errors then contain the statement without its values, so that they can be logged.
      compileSqlOnError: false,
      pool: { min: 1, max: 1, afterCreate: prepareConnection },
    }),
  );
  beginImmediate(knex);
  const reader = openThreads(knexModule, path, READS);
  const checkpoints = openThreads(knexModule, path, CHECKPOINTS);
  const limitLog = createLogLimit(checkpoints, path);
  return {
    dialect: 'sqlite',
    knex,
    reader,
    attempt: (action) => retryWhileBusy(action, BUSY_LIMIT_MS).finally(limitLog),
    withoutLimits: (action) => retryWhileBusy(() => action(knex), Infinity).finally(limitLog),
    truncateLog: async () => {
      const end = performance.now() + BUSY_LIMIT_MS;
      // Reads that began before the last commit still need the log.
      while (!(await emptyLog(checkpoints)) && performance.now() < end) await setTimeout(LOG_PAUSE_MS);
    },
    close: async () => {
      // The last connection to close must be able to write, because it empties the log.
      await reader.destroy();
      await checkpoints.destroy();
      await knex.destroy();
    },
  };
}

function prepareConnection(
  connection: Connection,
  done: (error: Error | null, connection: Connection) => void,
): void {
  connection.pragma('journal_mode = WAL');
  // A commit survives a crash of the process. A power failure may lose the last commits, but never a part of a commit.
  connection.pragma('synchronous = NORMAL');
  connection.pragma('foreign_keys = ON');
  // Overwrites deleted rows in the file with zeros. `truncateLog` removes them from the log.
  connection.pragma('secure_delete = ON');
  // With a timeout, SQLite would block the JavaScript thread while waiting. `retryWhileBusy` waits without blocking.
  connection.pragma('busy_timeout = 0');
  // Otherwise SQLite would copy the log into the file during a commit, on the JavaScript thread. See `createLogLimit`.
  connection.pragma('wal_autocheckpoint = 0');
  done(null, connection);
}

/** Size of the log in bytes above which it is emptied. The same as SQLite's default, 1000 pages. */
const MAX_LOG_BYTES = 4_096_000;
/** Minimum milliseconds between two checks of the log's size, and between two attempts to empty the log. */
const LOG_PAUSE_MS = 100;

/** Returns a function to call after each statement: empties the log on a thread if the log is large. */
function createLogLimit(checkpoints: Knex, path: string): () => void {
  let lastMs = -Infinity;
  let isRunning = false;
  const limit = async (): Promise<void> => {
    const { size } = await stat(`${path}-wal`);
    if (size > MAX_LOG_BYTES) await emptyLog(checkpoints);
  };
  return () => {
    if (isRunning || performance.now() < lastMs + LOG_PAUSE_MS) return;
    isRunning = true;
    // Without a log there is nothing to do. After an error, a later call tries again.
    void limit()
      .catch(() => null)
      .finally(() => {
        lastMs = performance.now();
        isRunning = false;
      });
  };
}

/** Copies the log into the database file and empties it. Returns false if a running read or writer prevents that. */
async function emptyLog(checkpoints: Knex): Promise<boolean> {
  // Copies most of the log while others may write. The second checkpoint makes them wait, but has little left to copy.
  await checkpoints.raw('pragma wal_checkpoint(passive)');
  const [result] = await checkpoints.raw<{ busy: number }[]>('pragma wal_checkpoint(truncate)');
  return result?.busy === 0;
}

/** Maximum time to wait for the write lock of another process, which usually holds it for about a millisecond. */
const BUSY_LIMIT_MS = 5000;
const BUSY_PAUSE_MS = 2;

/**
 * Repeats `action` while another process holds the write lock. SQLITE_BUSY occurs before anything has changed, so
 * repeating is safe.
 */
async function retryWhileBusy<T>(action: () => Promise<T>, limitMs: number): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const isBusy = (error as { code?: unknown } | null)?.code === 'SQLITE_BUSY';
      if (!isBusy || performance.now() >= end) throw error;
    }
    await setTimeout(BUSY_PAUSE_MS * (1 + Math.random()));
  }
}

/**
 * Makes every transaction take the write lock when it begins. Otherwise a transaction that reads and then writes fails
 * with SQLITE_BUSY_SNAPSHOT if another process has written in between, whatever the busy timeout.
 */
function beginImmediate(knex: Knex): void {
  const client = knex.client as { transaction: (...args: unknown[]) => RawTransaction };
  const open = client.transaction.bind(client);
  client.transaction = (...args) => {
    const transaction = open(...args);
    transaction.begin = (connection) => transaction.query(connection, 'BEGIN IMMEDIATE;');
    return transaction;
  };
}
