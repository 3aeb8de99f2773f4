// Starts resources that all processes of a run share. scripts/test.mjs loads this into mocha.
import { findPostgres, SHARED_PORT, startPostgres, type PostgresServer } from './postgres.js';

let server: PostgresServer | null = null;

/** Starts the shared PostgreSQL server if PostgreSQL is installed. */
export async function mochaGlobalSetup(): Promise<void> {
  const bin = findPostgres();
  if (bin === null) return;
  server = await startPostgres(bin);
  process.env[SHARED_PORT] = String(server.port);
  // On this signal, mocha's parallel runner exits without the usual clean-up.
  process.once('SIGINT', mochaGlobalTeardown);
}

/** Stops the shared server. */
export function mochaGlobalTeardown(): void {
  server?.close();
  server = null;
}
