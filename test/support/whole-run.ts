// Resources that a whole run starts once for all its processes. scripts/test.mjs loads this into mocha.
import { findPostgres, SHARED_PORT, startPostgres, type PostgresServer } from './postgres.js';

let server: PostgresServer | null = null;

/** Starts the shared PostgreSQL server if PostgreSQL is installed. */
export async function mochaGlobalSetup(): Promise<void> {
  const bin = findPostgres();
  if (bin === null) return;
  server = await startPostgres(bin);
  process.env[SHARED_PORT] = String(server.port);
  // Mocha's parallel runner exits on this signal without running teardown.
  process.once('SIGINT', mochaGlobalTeardown);
}

/** Stops the shared server. */
export function mochaGlobalTeardown(): void {
  server?.close();
  server = null;
}
