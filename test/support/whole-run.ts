// What a whole run starts once for all its processes; scripts/test.mjs has mocha load it.
import { findPostgres, SHARED_PORT, startPostgres, type PostgresServer } from './postgres.js';

let server: PostgresServer | null = null;

/** Starts the PostgreSQL that tests share, where it is installed. */
export async function mochaGlobalSetup(): Promise<void> {
  const bin = findPostgres();
  if (bin === null) return;
  server = await startPostgres(bin);
  process.env[SHARED_PORT] = String(server.port);
  // Mocha's parallel runner ends at the signal without a word to anybody.
  process.once('SIGINT', mochaGlobalTeardown);
}

/** Ends it. */
export function mochaGlobalTeardown(): void {
  server?.close();
  server = null;
}
