// Measuring the work around the engine, especially of PostgreSQL, while the engine is switched off. Estimates how many
// machines a daily number of checks needs.
import { stat } from 'node:fs/promises';
import type { DatabaseSums } from '../load/database.js';
import { explainMissingTelltale } from '../programs/telltale.js';
import { columns, show, type Section, type Table } from '../report/section.js';
import type { TrialResult } from '../trials/kinds.js';
import type { Context } from '../trials/runner.js';

const WORKERS = 2;
/**
 * Number of image hosts. Each host gets at most ten requests per second, so 200 hosts allow far more than two workers
 * can fetch.
 */
const HOSTS = 200;
const CONNECTIONS = 16;

/** An operation that was repeated `count` times, and the database's work for all repetitions. */
interface Metered {
  readonly name: string;
  readonly count: number;
  readonly perSecond: number;
  /** Processor seconds of the service or its workers. */
  readonly ownSeconds: number;
  readonly databaseSeconds: number;
  readonly before: DatabaseSums;
  readonly after: DatabaseSums;
}

export async function measureScale(context: Context): Promise<Section> {
  const missing = explainMissingTelltale('postgres');
  if (missing !== null) {
    context.runner.skip('scale', 'PostgreSQL', missing);
    return { title: 'Scale', tables: [], goals: [] };
  }
  const scan = await runScan(context);
  const checks = await runChecks(context);
  const metered = [scan && itemsOf(scan), checks && checksOf(checks)].filter((one) => one !== null);
  const days = scan && (await daysOf(context, scan));
  return {
    title: 'Scale',
    tables: [tableOfWork(metered), tableOfTables(metered), ...(days ? [days] : [])],
    goals: [],
  };
}

/** Returns only the smallest image, so that reading images takes almost no time. */
function smallest({ loads }: Context): readonly string[] {
  return loads.memory.slice(0, 1);
}

function runScan(context: Context): Promise<TrialResult<'scan'> | null> {
  const { runner, durations } = context;
  return runner.run('scale', `${durations.meteredItems} items, engine off`, 'scan', {
    device: null,
    files: smallest(context),
    pictures: durations.meteredItems,
    hosts: HOSTS,
    workers: WORKERS,
    preloads: ['engine-off'],
  });
}

function itemsOf(scan: TrialResult<'scan'>): Metered {
  return {
    ...scan,
    name: `item of a scan, ${WORKERS} workers`,
    count: scan.pictures,
    ownSeconds: scan.workerSeconds,
  };
}

function runChecks(context: Context): Promise<TrialResult<'checks-metered'> | null> {
  const { runner, durations } = context;
  return runner.run('scale', 'checks, engine off', 'checks-metered', {
    files: smallest(context),
    connections: CONNECTIONS,
    seconds: durations.meteredSeconds,
  });
}

function checksOf(checks: TrialResult<'checks-metered'>): Metered {
  return {
    ...checks,
    name: `POST /v1/check, ${CONNECTIONS} connections`,
    count: checks.checks,
    ownSeconds: checks.serviceSeconds,
  };
}

/**
 * Estimates the machines for a daily number of checks, from the engine's speed and the scan's measured cost. Returns
 * null if measuring the engine failed.
 */
async function daysOf(context: Context, scan: TrialResult<'scan'>): Promise<Table | null> {
  const { runner, loads, durations, cores } = context;
  const engine = await runner.runEngine(context, 'scale', 'engine alone', {
    files: loads.mix,
    concurrency: CONNECTIONS,
    seconds: durations.scanEngineSeconds,
  });
  if (!engine) return null;
  const sizes = await Promise.all(loads.mix.map(async (path) => (await stat(path)).size));
  return tableOfDays({
    checksPerCore: engine.perSecond / cores,
    transactions: (scan.after.transactions - scan.before.transactions) / scan.pictures,
    databaseMs: (scan.databaseSeconds / scan.pictures) * 1000,
    bytesKept: (scan.after.databaseBytes - scan.before.databaseBytes) / scan.pictures,
    logBytes: (scan.after.logBytes - scan.before.logBytes) / scan.pictures,
    imageBytes: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
  });
}

function tableOfWork(metered: readonly Metered[]): Table {
  return {
    title:
      'Engine switched off: operations per second and cost of one operation (PostgreSQL on the same machine)',
    head: columns(
      'what | a second | transactions/s | transactions | rows written | bytes of the log | bytes kept | processor ms: Telltale | processor ms: PostgreSQL',
    ),
    rows: metered.map(({ name, count, perSecond, ownSeconds, databaseSeconds, before, after }) => {
      const each = (key: 'transactions' | 'rowsWritten' | 'logBytes' | 'databaseBytes'): number =>
        (after[key] - before[key]) / count;
      return [
        name,
        show(perSecond),
        show(each('transactions') * perSecond),
        ...[each('transactions'), each('rowsWritten'), each('logBytes'), each('databaseBytes')].map(show),
        show((ownSeconds / count) * 1000),
        show((databaseSeconds / count) * 1000),
      ];
    }),
  };
}

/** Returns a table that shows how much each database table has grown. */
function tableOfTables(metered: readonly Metered[]): Table {
  return {
    title:
      'Growth of the database by table (including indexes; tables with more than one row per ten operations)',
    head: ['what', 'table', 'rows each', 'bytes each'],
    rows: metered.flatMap(({ name, count, after }) =>
      after.tables
        .filter(({ rows }) => rows >= count / 10)
        .map((table) => [name, table.name, show(table.rows / count), show(table.bytes / count)]),
    ),
  };
}

/** Measured cost of one image in a scan. */
export interface ImageCost {
  /** Checks per second of the engine, per core. */
  readonly checksPerCore: number;
  readonly transactions: number;
  /** Processor milliseconds of PostgreSQL. */
  readonly databaseMs: number;
  /** Bytes in tables and indexes. */
  readonly bytesKept: number;
  /** Bytes in the write-ahead log. */
  readonly logBytes: number;
  readonly imageBytes: number;
}

const IMAGES_A_DAY = [10_000, 1_000_000, 100_000_000];
const DAY_SECONDS = 86_400;
/** Share of each core that the estimate uses for the engine. Chosen: leaves room for everything else. */
const BUSY = 0.7;
/** Days for which a scan's items are stored. This is the default of TELLTALE_SCAN_DAYS. */
const DAYS_KEPT = 30;

/** Returns a table of the machines for several daily numbers of checks, if images arrive evenly over the day. */
export function tableOfDays(cost: ImageCost): Table {
  return {
    title: `Resources for a daily number of images, evenly spread (cores ${BUSY * 100}% busy, results kept for ${DAYS_KEPT} days), computed from the numbers above`,
    head: columns(
      "images a day | a second | cores | transactions/s | PostgreSQL's cores | database, GB | log, GB a day | images, GB a day",
    ),
    rows: IMAGES_A_DAY.map((images) => {
      const perSecond = images / DAY_SECONDS;
      return [
        String(images),
        ...[
          perSecond,
          perSecond / cost.checksPerCore / BUSY,
          perSecond * cost.transactions,
          (perSecond * cost.databaseMs) / 1000,
          (images * DAYS_KEPT * cost.bytesKept) / 1e9,
          (images * cost.logBytes) / 1e9,
          (images * cost.imageBytes) / 1e9,
        ].map(show),
      ];
    }),
  };
}
