// A lock on a PostgreSQL database that all processes share: what must not run twice at once goes through it.
const CONNECT_TIMEOUT_MS = 3000;
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * Runs `work` while nobody else who names the same `lock` (any number that no other use on the database has) runs
 * theirs. Those who come meanwhile wait for up to 30 s. Rejects with pg's own error if the database is away.
 */
export async function oneAtATime<T>(url: string, lock: number, work: () => Promise<T>): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
  });
  // A connection that is lost while it only holds the lock; without a listener that would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Of a transaction, and so of one connection to the server: behind PgBouncer each statement may be on another.
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
    return await work();
  } finally {
    // The lock ends with its connection.
    await client.end();
  }
}
