// SQLite by better-sqlite3: write-ahead log, one connection a process, write lock taken when a transaction begins.
import { performance } from 'node:perf_hooks';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { makePrivateFile, makePrivateFolder, PRIVATE_FILE, setMode } from '../private-files.js';
import { type OpenedDialect, QUIET, watchDriver } from './dialect.js';

/** The part of better-sqlite3's connection that is used here. */
interface Connection {
  pragma(statement: string): unknown;
}

/** The part of Knex's internal transaction that is used here; its public types don't name it. */
interface RawTransaction {
  begin: (connection: unknown) => unknown;
  query: (connection: unknown, sql: string) => unknown;
}

/**
 * Opens the file at `path`; makes it and its folder if they are missing, for this user alone: it holds keys and
 * secrets.
 */
export async function openSqlite(path: string): Promise<OpenedDialect> {
  await makePrivateFolder(dirname(path));
  makePrivateFile(path);
  // SQLite gives its log and its index the mode of the file when it makes them.
  for (const end of ['', '-wal', '-shm']) setMode(`${path}${end}`, PRIVATE_FILE);
  const { default: knexModule } = await import('knex');
  const knex = watchDriver(
    knexModule({
      client: 'better-sqlite3',
      connection: { filename: path },
      useNullAsDefault: true,
      log: QUIET,
      // What fails may be logged: the statement is, its values never.
      compileSqlOnError: false,
      pool: { min: 1, max: 1, afterCreate: prepareConnection },
    }),
  );
  beginImmediate(knex);
  return {
    dialect: 'sqlite',
    knex,
    attempt: (action) => retryWhileBusy(action, BUSY_LIMIT_MS),
    withoutLimits: (action) => retryWhileBusy(() => action(knex), Infinity),
    truncateLog: async () => {
      await knex.raw('pragma wal_checkpoint(truncate)');
    },
    close: () => knex.destroy(),
  };
}

function prepareConnection(
  connection: Connection,
  done: (error: Error | null, connection: Connection) => void,
): void {
  connection.pragma('journal_mode = WAL');
  // A commit survives the end of the process at any moment; only a power cut may take the last ones, and takes them whole.
  connection.pragma('synchronous = NORMAL');
  connection.pragma('foreign_keys = ON');
  // Deleted rows are overwritten with zeros in the file; `truncateLog` takes them out of the log.
  connection.pragma('secure_delete = ON');
  // SQLite would wait for the lock inside the call and stop the JS thread: `retryWhileBusy` waits instead.
  connection.pragma('busy_timeout = 0');
  done(null, connection);
}

/** Longest wait for another process's write lock, which is held for about a millisecond. */
const BUSY_LIMIT_MS = 5000;
const BUSY_PAUSE_MS = 2;

/**
 * SQLITE_BUSY comes from a statement, or from the BEGIN IMMEDIATE of a transaction, before anything was done: both
 * may be tried again.
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
 * Makes every transaction begin with the write lock. A deferred one that reads first and then writes fails at once with
 * SQLITE_BUSY_SNAPSHOT if another process wrote in between, whatever the busy timeout.
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
