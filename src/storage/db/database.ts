// Opens SQLite or PostgreSQL behind Knex; everything the two do differently is in this folder.
import type { Knex } from 'knex';
import type { DatabaseSetting } from '../../config.js';
import type { Dialect } from './dialect.js';
import { asDatabaseFault } from './faults.js';
import { openPostgres } from './postgres.js';
import { openSqlite } from './sqlite.js';

/** A running query builder: the database itself or one transaction of it. */
export type Queries = Knex;

/** Who changes something. */
export interface Actor {
  /** `member`: of an account, in the console; `key`: a program; `visitor`: nobody known, who tries to sign in. */
  readonly kind: 'member' | 'key' | 'command' | 'service' | 'visitor';
  /** Address of a member, identifier of a key, name of the operating system's user; null where there is none. */
  readonly name: string | null;
  /** Account that a member or a key belongs to; null for others. */
  readonly accountId: string | null;
  /** Network address; null for a command and for the service itself. */
  readonly address: string | null;
}

/** Nobody but the service itself. */
const SERVICE: Actor = { kind: 'service', name: null, accountId: null, address: null };

/**
 * An open database. Every rejection is a CheckError `unavailable` if the database can't be reached or is out of order.
 */
export interface Database {
  readonly dialect: Dialect;
  /** Who is said to make the changes that are made through it; without `by`, the service itself. */
  readonly actor: Actor;
  /** The same database, for changes of this actor. */
  by(actor: Actor): Database;
  /** Runs one statement, or several that may be repeated together, each in a transaction of its own. */
  run<T>(statements: (queries: Queries) => PromiseLike<T>): Promise<T>;
  /**
   * Runs `work` in one transaction: all of it is committed when the promise resolves, none of it when it rejects. On
   * SQLite it takes the write lock first (BEGIN IMMEDIATE), so that two processes wait for each other and never fail.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** A transaction without any limit of time, its waits for locks included: for what changes whole tables. */
  longTransaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Empties SQLite's write-ahead log, so that erased rows are in no file any more; does nothing on PostgreSQL. If another
   * connection uses the log, it stays as it is.
   */
  truncateLog(): Promise<void>;
  /** Waits for what runs, then closes every connection. */
  close(): Promise<void>;
}

/**
 * Opens the database that `setting` names (a SQLite file and its folder are made if they are missing); connects when
 * first used.
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
            // Behind PgBouncer a transaction may be on another connection of the server than the one without limits.
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
