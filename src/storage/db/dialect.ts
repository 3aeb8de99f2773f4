// What the two databases give to the room's one door, db/database.ts.
import type { Knex } from 'knex';
import { noteDriverError } from './faults.js';

/** Which of the two databases is in use. */
export type Dialect = 'sqlite' | 'postgres';

/** How a dialect module hands over what it opened. */
export interface OpenedDialect {
  readonly dialect: Dialect;
  readonly knex: Knex;
  /** Runs a statement or a transaction, again if another process was in the way and nothing has happened yet. */
  readonly attempt: <T>(action: () => Promise<T>) => Promise<T>;
  /** Gives `action` the database without limits of time; it may run again, as for `attempt`. */
  readonly withoutLimits: <T>(action: (knex: Knex) => Promise<T>) => Promise<T>;
  /** Empties SQLite's write-ahead log, unless another connection uses it now; does nothing on PostgreSQL. */
  readonly truncateLog: () => Promise<void>;
  /** Waits for what runs, then closes every connection. */
  readonly close: () => Promise<void>;
}

/** The part of Knex's client that is used here; its public types don't name it. */
interface PooledClient {
  acquireConnection: () => Promise<unknown>;
}

/** Has every error of the driver noted: of statements, those of its transactions included, and of connecting. */
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

/** Knex's `log` setting. */
export const QUIET = { debug: ignore, warn: ignore, error: ignore, deprecate: ignore };
