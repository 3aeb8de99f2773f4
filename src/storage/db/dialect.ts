// The interface between db/database.ts and the modules for SQLite and PostgreSQL.
import type { Knex } from 'knex';
import { noteDriverError } from './faults.js';

export type Dialect = 'sqlite' | 'postgres';

/** A database that one of these modules opened. */
export interface OpenedDialect {
  readonly dialect: Dialect;
  readonly knex: Knex;
  /**
   * Runs a statement or transaction and repeats it if it failed because of another process before it changed anything.
   */
  readonly attempt: <T>(action: () => Promise<T>) => Promise<T>;
  /** Calls `action` with the database without time limits. It may be called again, as with `attempt`. */
  readonly withoutLimits: <T>(action: (knex: Knex) => Promise<T>) => Promise<T>;
  /** Empties SQLite's write-ahead log unless another connection is using it. Does nothing on PostgreSQL. */
  readonly truncateLog: () => Promise<void>;
  /** Waits for running statements, then closes all connections. */
  readonly close: () => Promise<void>;
}

/** The part of Knex's client that is used here; Knex's public types don't contain it. */
interface PooledClient {
  acquireConnection: () => Promise<unknown>;
}

/** Records every error of the driver: from connecting and from statements, also within transactions. */
export function watchDriver(knex: Knex): Knex {
  knex.on('query-error', noteDriverError);
  const client = knex.client as PooledClient;
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = () =>
    acquire().catch((error: unknown) => {
      throw noteDriverError(error);
    });
  return knex;
}

const ignore = (): void => undefined;

/** Switches off Knex's own log. */
export const QUIET = { debug: ignore, warn: ignore, error: ignore, deprecate: ignore };
