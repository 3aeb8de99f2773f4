// Telltale's own service, as a user starts it: with a database, a key, and a plan without limits.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createKey } from '../../src/accounts/keys.js';
import { openDatabase } from '../../src/storage/db/database.js';
import { root } from '../machine/machine.js';
import { findPostgres, startPostgres } from '../../test/support/postgres.js';
import { startServer, type ServerProcess } from './server-process.js';
import type { Target } from './program.js';

/** Nothing but the machine is to hold the load back. */
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

/** So that preloads can be TypeScript, wherever the program runs. */
const TSX = import.meta.resolve('tsx');

/** Where it meters. */
export type Database = 'sqlite' | 'postgres';

/** Why it can't be measured here; null if it can. */
export function whyNoTelltale(database: Database): string | null {
  if (!existsSync(join(root, 'dist/cli/commands/serve.js'))) return 'this checkout has no HTTP service';
  if (database === 'postgres' && findPostgres() === null)
    return 'PostgreSQL is not installed (apt-get install postgresql)';
  return null;
}

/** Programs that are loaded before Telltale, for what is measured of it without a part of it (`preload/`). */
export type Preload = 'engine-off' | 'checkpoint-on-commit';

/** What is started. */
export interface TelltaleOptions {
  /** Null for the default of the service. */
  readonly device: string | null;
  /** Null for SQLite. */
  readonly databaseUrl: string | null;
  readonly preloads?: readonly Preload[];
}

/** A running service, and how to start workers beside it. */
export interface RunningTelltale extends Target {
  /** That the service has used since its start. */
  readonly processorSeconds: () => number;
  /** Where its data are, on the disk that a SQLite database of it is on. */
  readonly folder: string;
  /** Starts a worker of scans on the same database; resolves when it has its models. */
  readonly startWorker: () => Promise<ServerProcess>;
}

/** Starts it with an empty database of a server of its own. */
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

/** Starts it on a database that is empty. */
export async function runTelltale(options: TelltaleOptions): Promise<RunningTelltale> {
  const { device, databaseUrl, preloads = [] } = options;
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

/** As `telltale keys create` does, without a process for it. */
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

/** 99th percentile of the event loop's delay since its start, from Prometheus' text; NaN if it is not there. */
function readLoopDelay(metrics: string): number {
  const seconds = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)$/m.exec(metrics)?.[1];
  return seconds === undefined ? NaN : Number(seconds) * 1000;
}
