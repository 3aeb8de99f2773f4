// Starting Telltale's service as users start it: with a database, a key, and a plan. The plan has no limits.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createKey } from '../../src/accounts/keys.js';
import type { DatabaseSetting } from '../../src/config.js';
import { openDatabase } from '../../src/storage/db/database.js';
import { root } from '../machine/machine.js';
import { findPostgres, startPostgres } from '../../test/support/postgres.js';
import { startServer, type ServerProcess, type Target } from './server-process.js';

/** A plan (the limits of an account) without limits, so that only the machine limits the speed. */
const PLANS = {
  bench: {
    checks_per_month: null,
    requests_per_second: 100_000,
    burst: 100_000,
    batch: true,
    scan_items: 1_000_000,
    scans_at_once: 10,
  },
};

/** Path of the loader for preloaded TypeScript modules, which works from any folder. */
const TSX = import.meta.resolve('tsx');

export type Database = 'sqlite' | 'postgres';

/** Returns the reason why Telltale can't be measured on this machine. Returns null if it can. */
export function explainMissingTelltale(database: Database): string | null {
  if (!existsSync(join(root, 'dist/cli/commands/serve.js'))) return 'this checkout has no HTTP service';
  if (database === 'postgres' && findPostgres() === null)
    return 'PostgreSQL is not installed (apt-get install postgresql)';
  return null;
}

/**
 * Calls `measure` with an empty SQLite database in a temporary folder, then with an empty PostgreSQL database if Debian's
 * package is installed. `only` selects one of the two.
 */
export async function onEachDatabase(
  measure: (name: string, setting: DatabaseSetting, folder: string) => Promise<void>,
  only?: string,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-bench-'));
  try {
    if (only !== 'postgres')
      await measure('SQLite', { kind: 'sqlite', path: join(folder, 'bench.sqlite') }, folder);
    const bin = only === 'sqlite' ? null : findPostgres();
    if (bin === null) return;
    const server = await startPostgres(bin);
    try {
      await measure('PostgreSQL', { kind: 'postgres', url: server.createDatabase() }, folder);
    } finally {
      server.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Modules loaded before Telltale that switch a part of it off for a measurement (folder `preload/`). */
export type Preload = 'engine-off';

/** A running service, for which scan workers can be started. */
export interface RunningTelltale extends Target {
  readonly processorSeconds: () => number;
  /** Folder of the service's data, on the same disk as its SQLite database. */
  readonly folder: string;
  /** Starts a scan worker on the same database. Resolves when the worker has loaded its models. */
  readonly startWorker: () => Promise<ServerProcess>;
}

/** Starts the service with an empty database. For PostgreSQL, also starts a new database server. */
export async function startTelltale(
  database: Database,
  device: string | null,
  preloads: readonly Preload[] = [],
): Promise<RunningTelltale> {
  const bin = findPostgres();
  const postgres =
    database === 'postgres' && bin !== null ? await startPostgres(bin, { isDurable: true }) : null;
  const databaseUrl = postgres?.createDatabase() ?? null;
  const telltale = await runTelltale({ device, databaseUrl, preloads });
  return {
    ...telltale,
    stop: async () => {
      await telltale.stop();
      postgres?.close();
    },
  };
}

/**
 * Starts the service on an empty database. If `device` is null, uses the service's default. If `databaseUrl` is null,
 * uses SQLite.
 */
export async function runTelltale({
  device,
  databaseUrl,
  preloads,
}: {
  readonly device: string | null;
  readonly databaseUrl: string | null;
  readonly preloads: readonly Preload[];
}): Promise<RunningTelltale> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-bench-'));
  writeFileSync(join(folder, 'plans.json'), JSON.stringify(PLANS));
  const env = {
    TELLTALE_DATA_DIR: folder,
    TELLTALE_PLANS_FILE: join(folder, 'plans.json'),
    TELLTALE_LOG: 'warn',
    ...(device !== null && { TELLTALE_DEVICE: device }),
    ...(databaseUrl !== null && { TELLTALE_DATABASE_URL: databaseUrl }),
  };
  const cli = join(root, 'dist/cli/main.js');
  const command = { command: process.execPath, cwd: folder };
  const first = preloads.length === 0 ? [] : [TSX, ...preloads.map(pathOf)];
  const node = [...first.flatMap((module) => ['--import', module]), cli];
  const server = await startServer(
    { ...command, name: 'telltale', args: [...node, 'serve', '--port', '0'], env },
    (line) => /serves on (http:\/\/\S+)/.exec(line)?.[1] ?? null,
  );
  return {
    url: server.url,
    key: await makeKey(folder, databaseUrl),
    folder,
    peakMemoryMb: server.peakMemoryMb,
    processorSeconds: server.processorSeconds,
    eventLoopDelayMs: async () => readLoopDelay(await (await fetch(`${server.url}/metrics`)).text()),
    startWorker: () =>
      startServer(
        {
          ...command,
          name: 'a worker',
          args: [...node, 'worker', '--private'],
          env: { ...env, TELLTALE_LOG: 'info' },
        },
        (line) => (line.includes('"msg":"working"') ? 'working' : null),
      ),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates an API key like `telltale keys create`, without starting the command. */
async function makeKey(folder: string, databaseUrl: string | null): Promise<string> {
  const database = await openDatabase(
    databaseUrl === null
      ? { kind: 'sqlite', path: join(folder, 'telltale.sqlite') }
      : { kind: 'postgres', url: databaseUrl },
  );
  try {
    return (await createKey(database, { account: 'bench', plan: 'bench' })).key;
  } finally {
    await database.close();
  }
}

function pathOf(preload: Preload): string {
  return pathToFileURL(join(root, 'bench/preload', `${preload}.ts`)).href;
}

/** Reads the 99th percentile of the event loop's delay from the service's metrics. Returns NaN if it is missing. */
function readLoopDelay(metrics: string): number {
  const seconds = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)$/m.exec(metrics)?.[1];
  return seconds === undefined ? NaN : Number(seconds) * 1000;
}
