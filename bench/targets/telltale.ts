// Telltale's own service, as a user starts it: with a database, a key, and a plan without limits.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../paths.js';
import { findPostgres, startPostgres } from '../../test/support/postgres.js';
import { startServer } from './server-process.js';
import type { Target } from './target.js';

/** Nothing but the machine is to hold the load back. */
const PLANS = {
  bench: { checks_per_month: null, requests_per_second: 100_000, burst: 100_000, batch: true },
};

/** Where it meters. */
export type Database = 'sqlite' | 'postgres';

/** Why it can't be measured here; null where it can. */
export function whyNoTelltale(database: Database): string | null {
  if (!existsSync(join(root, 'dist/commands/serve.js'))) return 'this checkout has no HTTP service';
  if (database === 'postgres' && findPostgres() === null)
    return 'PostgreSQL is not installed (apt-get install postgresql)';
  return null;
}

/** A running service. */
export interface RunningTelltale extends Target {
  /** Where its data are. */
  readonly folder: string;
}

/** Starts it with an empty database. `device`: null for the default of the service. */
export async function startTelltale(database: Database, device: string | null): Promise<RunningTelltale> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-bench-'));
  writeFileSync(join(folder, 'plans.json'), JSON.stringify(PLANS));
  const bin = findPostgres();
  const postgres =
    database === 'postgres' && bin !== null ? await startPostgres(bin, { isDurable: true }) : null;
  const env = {
    TELLTALE_DATA_DIR: folder,
    TELLTALE_PLANS_FILE: join(folder, 'plans.json'),
    TELLTALE_LOG: 'warn',
    ...(device !== null && { TELLTALE_DEVICE: device }),
    ...(postgres && { TELLTALE_DATABASE_URL: postgres.createDatabase() }),
  };
  const cli = join(root, 'dist/cli.js');
  const server = await startServer(
    { name: 'telltale', command: process.execPath, args: [cli, 'serve', '--port', '0'], cwd: folder, env },
    (line) => /serves on (http:\/\/\S+)/.exec(line)?.[1] ?? null,
  );
  const made = execFileSync(
    process.execPath,
    [cli, 'keys', 'create', '--account', 'bench', '--plan', 'bench', '--json'],
    { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8' },
  );
  const { key } = JSON.parse(made) as { key: string };
  return {
    url: server.url,
    key,
    folder,
    peakMemoryMb: server.peakMemoryMb,
    eventLoopDelayMs: async () => readLoopDelay(await (await fetch(`${server.url}/metrics`)).text()),
    stop: async () => {
      await server.stop();
      postgres?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** 99th percentile of the event loop's delay since its start, from Prometheus' text; NaN where it is not there. */
function readLoopDelay(metrics: string): number {
  const seconds = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)$/m.exec(metrics)?.[1];
  return seconds === undefined ? NaN : Number(seconds) * 1000;
}
