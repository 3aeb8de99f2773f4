// The interface between db/database.ts and the modules for SQLite and PostgreSQL.
import type { Knex } from 'knex';
import { markDriverError } from './faults.js';

export type Dialect = 'sqlite' | 'postgres';

/** An open database: what the modules for SQLite and PostgreSQL return. */
export interface OpenedDialect {
  readonly dialect: Dialect;
  readonly knex: Knex;
  /** Knex for reads of many rows. On SQLite these run on a thread; on PostgreSQL this is `knex` itself. */
  readonly reader: Knex;
  /** Runs a statement or transaction. Repeats it if another process made it fail before it changed anything. */
  readonly attempt: <T>(action: () => Promise<T>) => Promise<T>;
  /** Calls `action` with the database without time limits. May call it again, like `attempt`. */
  readonly withoutLimits: <T>(action: (knex: Knex) => Promise<T>) => Promise<T>;
  /** Empties SQLite's write-ahead log on a thread. Does nothing on PostgreSQL. */
  readonly truncateLog: () => Promise<void>;
  /** Waits for running statements, then closes all connections. */
  readonly close: () => Promise<void>;
}

/** Methods of Knex's client that are used here but missing from Knex's public types. */
interface PooledClient {
  acquireConnection: () => Promise<unknown>;
}

/** Records every error of the driver, so that `faults.ts` can recognise it: from connecting and from statements. */
export function watchDriver(knex: Knex): Knex {
  knex.on('query-error', markDriverError);
  const client = knex.client as PooledClient;
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = () =>
    acquire().catch((error: unknown) => {
      throw markDriverError(error);
    });
  return knex;
}

const ignore = (): void => undefined;

/** Logger that switches off Knex's log messages. */
export const QUIET = { debug: ignore, warn: ignore, error: ignore, deprecate: ignore };
