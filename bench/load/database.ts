// Reading how much work a PostgreSQL server has done, from its own statistics.
import pg from 'pg';
import { parentOf, processorSecondsOf } from '../machine/processes.js';

/** Work of a PostgreSQL server since its start. */
export interface DatabaseSums {
  readonly transactions: number;
  readonly rowsWritten: number;
  /** Bytes written to the write-ahead log. */
  readonly logBytes: number;
  readonly processorSeconds: number;
  readonly databaseBytes: number;
  readonly tables: readonly TableSize[];
}

/** Size of a table including its indexes. */
export interface TableSize {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Reads the statistics of the database at `url`. A connection's work is included only after the connection has closed.
 */
export async function readDatabaseSums(url: string): Promise<DatabaseSums> {
  const client = new pg.Client(url);
  await client.connect();
  const one = async <T>(text: string): Promise<T[]> => (await client.query(text)).rows as T[];
  try {
    const [server] = await one<{ pid: number }>('select pg_backend_pid() as pid');
    const [sums] = await one<Omit<DatabaseSums, 'tables' | 'processorSeconds'>>(
      `select xact_commit::float8 as "transactions",
         (tup_inserted + tup_updated + tup_deleted)::float8 as "rowsWritten",
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "logBytes",
         pg_database_size(datname)::float8 as "databaseBytes"
       from pg_stat_database where datname = current_database()`,
    );
    await client.query('analyze');
    const tables = await one<TableSize>(
      `select nspname || '.' || relname as name, reltuples::float8 as rows, pg_total_relation_size(c.oid)::float8 as bytes
       from pg_class c join pg_namespace n on n.oid = relnamespace
       where relkind = 'r' and nspname in ('public', 'telltale_jobs') and reltuples > 0 order by bytes desc`,
    );
    if (!server || !sums) throw new Error('PostgreSQL returned no statistics for its database');
    return { ...sums, tables, processorSeconds: processorSecondsOf(parentOf(server.pid)) };
  } finally {
    await client.end();
  }
}
