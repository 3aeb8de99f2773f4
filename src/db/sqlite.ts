// SQLite by better-sqlite3: write-ahead log, one connection a process, write lock taken when a transaction begins.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import type { OpenedDialect } from './database.js';
import { QUIET } from './quiet.js';

/** The part of better-sqlite3's connection that is used here. */
interface Connection {
  pragma(statement: string): unknown;
}

/** The part of Knex's internal transaction that is used here; its public types don't name it. */
interface RawTransaction {
  begin: (connection: unknown) => unknown;
  query: (connection: unknown, sql: string) => unknown;
}

/** Opens the file at `path`; makes it and its folder where missing. */
export async function openSqlite(path: string): Promise<OpenedDialect> {
  mkdirSync(dirname(path), { recursive: true });
  const { default: knexModule } = await import('knex');
  const knex = knexModule({
    client: 'better-sqlite3',
    connection: { filename: path },
    useNullAsDefault: true,
    log: QUIET,
    pool: { min: 1, max: 1, afterCreate: prepareConnection },
  });
  beginImmediate(knex);
  return { dialect: 'sqlite', knex, now: () => Promise.resolve(Date.now()) };
}

function prepareConnection(connection: Connection, done: (error: Error | null, connection: Connection) => void): void {
  connection.pragma('journal_mode = WAL');
  // A commit survives the end of the process at any moment; only a power cut may take the last ones, and takes them whole.
  connection.pragma('synchronous = NORMAL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('busy_timeout = 5000');
  done(null, connection);
}

/**
 * Makes every transaction begin with the write lock. A deferred one that reads first and then writes fails at once with
 * SQLITE_BUSY_SNAPSHOT where another process wrote in between, whatever the busy timeout.
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
