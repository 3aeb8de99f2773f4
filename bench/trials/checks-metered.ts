// Checks over HTTP on PostgreSQL with the engine switched off: what the database has to do for one.
import { findPostgres, startPostgres } from '../../test/support/postgres.js';
import { readBodies } from '../load/http-bodies.js';
import { readDatabaseSums, type DatabaseSums } from '../load/database.js';
import { runHttpClosedLoop } from '../load/http-closed-loop.js';
import { runTelltale } from '../programs/telltale.js';

/** What is sent. */
export interface ChecksMeteredSettings {
  readonly files: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

/** What it took. */
export interface ChecksMeteredResult {
  readonly checks: number;
  readonly failures: number;
  readonly perSecond: number;
  /** Processor seconds meanwhile. */
  readonly serviceSeconds: number;
  readonly databaseSeconds: number;
  /** The database before and after. */
  readonly before: DatabaseSums;
  readonly after: DatabaseSums;
}

/** Runs a closed loop on a new, empty database. */
export async function runChecksMetered(settings: ChecksMeteredSettings): Promise<ChecksMeteredResult> {
  const bin = findPostgres();
  if (bin === null) throw new Error('PostgreSQL is not installed');
  const postgres = await startPostgres(bin, { isDurable: true });
  const databaseUrl = postgres.createDatabase();
  try {
    const telltale = await runTelltale({ device: null, databaseUrl, preloads: ['engine-off'] });
    const before = await readDatabaseSums(databaseUrl);
    const started = telltale.processorSeconds();
    const bodies = readBodies(settings.files, 'multipart');
    const { checks, failures, perSecond } = await runHttpClosedLoop(telltale, bodies, {
      ...settings,
      warmUpSeconds: 0,
    });
    const serviceSeconds = telltale.processorSeconds() - started;
    await telltale.stop();
    const after = await readDatabaseSums(databaseUrl);
    const databaseSeconds = after.processorSeconds - before.processorSeconds;
    return { checks, failures, perSecond, serviceSeconds, databaseSeconds, before, after };
  } finally {
    postgres.close();
  }
}
