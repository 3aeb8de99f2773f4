// Opens SQLite or PostgreSQL with Knex. All differences between the two are handled in this folder.
import type { Knex } from 'knex';
import type { DatabaseSetting } from '../../config.js';
import type { Dialect } from './dialect.js';
import { asDatabaseFault } from './faults.js';
import { openPostgres } from './postgres.js';
import { openSqlite } from './sqlite.js';

/** Knex's query builder. Its statements run outside or inside a transaction. */
export type Queries = Knex;

/** Person or program that makes a change, as the audit log names it. */
export interface Actor {
  /**
   * `member`: a person in the console; `key`: an API key; `command`: the command line; `service`: the service;
   * `visitor`: a person who tries to sign in or uses an appeal link.
   */
  readonly kind: 'member' | 'key' | 'command' | 'service' | 'visitor';
  /** Email address of a member, identifier of a key or appeal link, or user name at the command line; null otherwise. */
  readonly name: string | null;
  /** Account that a member or key belongs to; null for other actors. */
  readonly accountId: string | null;
  /** Network address of the actor; null for the command line and the service. */
  readonly address: string | null;
}

const SERVICE: Actor = { kind: 'service', name: null, accountId: null, address: null };

/** An open database. Methods reject with CheckError `unavailable` if the database can't be reached or can't work. */
export interface Database {
  readonly dialect: Dialect;
  /** Actor that the audit log names for changes made through this object. Default: the service. */
  readonly actor: Actor;
  /** Returns the same database with another actor for the audit log. */
  by(actor: Actor): Database;
  /** Runs one statement, or several that are safe to repeat, each in a separate transaction. */
  run<T>(statements: (queries: Queries) => PromiseLike<T>): Promise<T>;
  /**
   * Runs a read whose duration grows with the number of rows, such as a search, a count or a sorted list. On SQLite it
   * runs on a separate thread, because `run` would stop the event loop meanwhile. Sees all earlier commits.
   */
  read<T>(statement: (queries: Queries) => PromiseLike<T>): Promise<T>;
  /**
   * Runs `work` in one transaction, which is committed when the promise resolves and rolled back when it rejects. On
   * SQLite the transaction takes the write lock first (BEGIN IMMEDIATE), so that two processes wait for each other
   * instead of failing.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Runs a transaction without time limits, even while it waits for locks. For changes of whole tables. */
  longTransaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Empties SQLite's write-ahead log, so that no file contains erased rows any more. Waits up to 5 s for reads that use
   * the log. Does nothing on PostgreSQL.
   */
  truncateLog(): Promise<void>;
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

/** Opens the database that `setting` names, but connects at its first use. Creates a missing SQLite file. */
export async function openDatabase(setting: DatabaseSetting): Promise<Database> {
  const opened = setting.kind === 'sqlite' ? await openSqlite(setting.path) : await openPostgres(setting.url);
  const { knex } = opened;
  const database: Database = {
    dialect: opened.dialect,
    actor: SERVICE,
    by: (actor) => ({ ...database, actor }),
    run: (statements) => guard(() => opened.attempt(async () => statements(knex))),
    read: (statement) => guard(async () => statement(opened.reader)),
    transaction: (work) => guard(() => opened.attempt(() => knex.transaction((trx) => work(trx)))),
    longTransaction: (work) =>
      guard(() =>
        opened.withoutLimits((unlimited) =>
          unlimited.transaction(async (trx) => {
            // Sets the limits in each transaction. Behind PgBouncer it may use a different connection than the
            // previous one.
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
