// What everything but the engine costs: PostgreSQL and the processes around it, with the engine switched off.
import { stat } from 'node:fs/promises';
import type { DatabaseSums } from '../load/database-load.js';
import { show } from '../report/numbers.js';
import type { Section, Table } from '../report/section.js';
import { whyNoTelltale } from '../targets/telltale.js';
import type { Context } from './context.js';
import { tableOfDays } from './days.js';

const WORKERS = 2;
/** Ten pictures a second from each: far more than two workers take. */
const HOSTS = 200;
const CONNECTIONS = 16;

/** Something that was done many times, and what the database had to do for all of it. */
interface Metered {
  readonly name: string;
  readonly count: number;
  readonly perSecond: number;
  /** Processor seconds of the service or the workers. */
  readonly ownSeconds: number;
  readonly databaseSeconds: number;
  readonly before: DatabaseSums;
  readonly after: DatabaseSums;
}

/** Runs the group. */
export async function measureScale({ runner, loads, durations, options, cores }: Context): Promise<Section> {
  const missing = whyNoTelltale('postgres');
  if (missing !== null) {
    runner.skip('scale', 'PostgreSQL', missing);
    return { title: 'Scale', tables: [], goals: [], plots: [] };
  }
  // The smallest: reading it takes no time, either.
  const files = loads.memory.slice(0, 1);
  const metered: Metered[] = [];
  const scan = await runner.run('scale', `${durations.meteredItems} items, engine off`, 'scan', {
    device: null,
    files,
    pictures: durations.meteredItems,
    hosts: HOSTS,
    workers: WORKERS,
    preloads: ['engine-off'],
  });
  if (scan)
    metered.push({
      ...scan,
      name: `item of a scan, ${WORKERS} workers`,
      count: scan.pictures,
      ownSeconds: scan.workerSeconds,
    });
  const checks = await runner.run('scale', 'checks, engine off', 'checks-metered', {
    files,
    connections: CONNECTIONS,
    seconds: durations.meteredSeconds,
  });
  if (checks)
    metered.push({
      ...checks,
      name: `POST /v1/check, ${CONNECTIONS} connections`,
      count: checks.checks,
      ownSeconds: checks.serviceSeconds,
    });
  const engine = await runner.run('scale', 'engine alone', 'engine-closed', {
    who: 'telltale',
    device: options.device,
    files: loads.mix,
    concurrency: CONNECTIONS,
    seconds: durations.scanEngineSeconds,
    warmUpSeconds: durations.warmUpSeconds,
  });
  const sizes = await Promise.all(loads.mix.map(async (path) => (await stat(path)).size));
  const days =
    scan && engine
      ? [
          tableOfDays({
            checksPerCore: engine.perSecond / cores,
            transactions: (scan.after.transactions - scan.before.transactions) / scan.pictures,
            databaseMs: (scan.databaseSeconds / scan.pictures) * 1000,
            bytesKept: (scan.after.databaseBytes - scan.before.databaseBytes) / scan.pictures,
            logBytes: (scan.after.logBytes - scan.before.logBytes) / scan.pictures,
            pictureBytes: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
          }),
        ]
      : [];
  return {
    title: 'Scale',
    tables: [tableOfWork(metered), tableOfTables(metered), ...days],
    goals: [],
    plots: [],
  };
}

function tableOfWork(metered: readonly Metered[]): Table {
  return {
    title: 'Engine switched off: how often a second, and what one costs (PostgreSQL on the same machine)',
    head: [
      'what',
      'a second',
      'transactions/s',
      'transactions',
      'rows written',
      'bytes of the log',
      'bytes kept',
      'processor ms: Telltale',
      'processor ms: PostgreSQL',
    ],
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

/** Tables that grow. */
function tableOfTables(metered: readonly Metered[]): Table {
  return {
    title: 'Where the bytes are (with indexes; of tables with more than a row for ten)',
    head: ['what', 'table', 'rows each', 'bytes each'],
    rows: metered.flatMap(({ name, count, after }) =>
      after.tables
        .filter(({ rows }) => rows >= count / 10)
        .map((table) => [name, table.name, show(table.rows / count), show(table.bytes / count)]),
    ),
  };
}
