// Opens SQLite or PostgreSQL with Knex. All differences between the two are handled in this folder.
import type { Knex } from 'knex';
import type { DatabaseSetting } from '../../config.js';
import type { Dialect } from './dialect.js';
import { asDatabaseFault } from './faults.js';
import { openPostgres } from './postgres.js';
import { openSqlite } from './sqlite.js';

/** Knex's query builder, on the database itself or within one transaction. */
export type Queries = Knex;

/** The actor of a change, for the audit log. */
export interface Actor {
  /**
   * `member`: a person in the console; `key`: an API key; `command`: the command line; `service`: the service itself;
   * `visitor`: a person who tries to sign in.
   */
  readonly kind: 'member' | 'key' | 'command' | 'service' | 'visitor';
  /** Address of a member, identifier of a key or name of the operating system's user; null for other actors. */
  readonly name: string | null;
  /** Account that a member or key belongs to; null for other actors. */
  readonly accountId: string | null;
  /** Network address; null for the command line and the service itself. */
  readonly address: string | null;
}

const SERVICE: Actor = { kind: 'service', name: null, accountId: null, address: null };

/** An open database. Methods reject with CheckError `unavailable` if the database can't be reached or can't work. */
export interface Database {
  readonly dialect: Dialect;
  /** The actor of changes made through this object; the service itself unless `by` was called. */
  readonly actor: Actor;
  /** Returns the same database with another actor. */
  by(actor: Actor): Database;
  /** Runs one statement, or several that may be repeated together. Each is a transaction of its own. */
  run<T>(statements: (queries: Queries) => PromiseLike<T>): Promise<T>;
  /**
   * Runs `work` in one transaction, which is committed when the promise resolves and rolled back when it rejects. On
   * SQLite the transaction takes the write lock first (BEGIN IMMEDIATE), so that two processes wait for each other
   * instead of failing.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Runs a transaction without time limits, not even for waiting for locks. For changes of whole tables. */
  longTransaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Empties SQLite's write-ahead log, so that no file contains erased rows any more. Does nothing on PostgreSQL, or if
   * another connection is using the log.
   */
  truncateLog(): Promise<void>;
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

/**
 * Opens the database that `setting` names. A missing SQLite file and its folder are created. It connects at the first
 * use.
 */
export async function openDatabase(setting: DatabaseSetting): Promise<Database> {
  const opened = setting.kind === 'sqlite' ? await openSqlite(setting.path) : await openPostgres(setting.url);
  const { knex } = opened;
  const database: Database = {
    dialect: opened.dialect,
    actor: SERVICE,
    by: (actor) => ({ ...database, actor }),
    run: (statements) => guard(() => opened.attempt(async () => statements(knex))),
    transaction: (work) => guard(() => opened.attempt(() => knex.transaction((trx) => work(trx)))),
    longTransaction: (work) =>
      guard(() =>
        opened.withoutLimits((unlimited) =>
          unlimited.transaction(async (trx) => {
            // Set in each transaction because behind PgBouncer it may run on another connection than the one whose
            // limits were removed.
            if (opened.dialect === 'postgres')
              await trx.raw(
                'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0',
              );
            return work(trx);
          }),
        ),
      ),
    truncateLog: () => guard(() => opened.attempt(opened.truncateLog)),
    close: opened.close,
  };
  return database;
}

async function guard<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw asDatabaseFault(error);
  }
}
