// Opens PostgreSQL with pg: a small pool with short time limits, so that an unreachable database is noticed soon.
import type { Knex } from 'knex';
import { type OpenedDialect, QUIET, watchDriver } from './dialect.js';

/** PostgreSQL's identifier of the type `bigint`. All values stored in this type fit a JavaScript number. */
const INT8_OID = 20;
const CONNECT_TIMEOUT_MS = 3000;
/** Maximum time to wait for a connection of the pool, including the time to connect. */
const ACQUIRE_TIMEOUT_MS = 4000;
/**
 * Maximum duration of a statement. Most read or write one row by an index; a longer one waits for a lock or an
 * unreachable server.
 */
const STATEMENT_TIMEOUT_MS = 5000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const MAX_CONNECTIONS = 10;

/** Opens the database at `url` (`postgres://user:password@host:port/name`). */
export async function openPostgres(url: string): Promise<OpenedDialect> {
  const [{ default: knexModule }, { default: pg }] = await Promise.all([import('knex'), import('pg')]);
  const getTypeParser = (oid: number, format?: string): unknown =>
    oid === INT8_OID
      ? Number
      : (pg.types.getTypeParser as (oid: number, format?: string) => unknown)(oid, format);
  const connection: Record<string, unknown> = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'telltale',
    types: { getTypeParser },
  };
  const connect = (hasLimits: boolean, max: number): Knex =>
    watchDriver(
      knexModule({
        client: 'pg',
        connection: { ...connection, ...(hasLimits && { query_timeout: STATEMENT_TIMEOUT_MS + 1000 }) },
        log: QUIET,
        // Errors then contain the statement without its values, so that they can be logged.
        compileSqlOnError: false,
        pool: { min: 0, max, ...(hasLimits && { afterCreate: setLimits }) },
        acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS,
      }),
    );
  const knex = connect(true, MAX_CONNECTIONS);
  return {
    dialect: 'postgres',
    knex,
    reader: knex,
    attempt: (action) => action(),
    async withoutLimits(action) {
      const unlimited = connect(false, 1);
      try {
        return await action(unlimited);
      } finally {
        await unlimited.destroy();
      }
    },
    truncateLog: () => Promise.resolve(),
    close: () => knex.destroy(),
  };
}

/** Methods of pg's connection that are used here. */
interface Connection {
  query(text: string, done: (error: Error | null) => void): void;
}

type Done = (error: Error | null, connection: Connection) => void;

/** Sets the time limits by a statement, because PgBouncer refuses connections that set them as parameters. */
function setLimits(connection: Connection, done: Done): void {
  const limits = `set statement_timeout = ${STATEMENT_TIMEOUT_MS}; set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;
  connection.query(limits, (error) => done(error, connection));
}
