// Measuring scans on PostgreSQL: their speed, the work of the database, and the effect on checks over HTTP. Also
// measures the database's work for checks without a scan.
import { setTimeout } from 'node:timers/promises';
import { findPostgres, startPostgres, type PostgresServer } from '../../test/support/postgres.js';
import { readDatabaseSums } from '../load/database.js';
import { readBodies } from '../load/http-bodies.js';
import { runHttpClosedLoop } from '../load/http-closed-loop.js';
import { runHttpOpenLoop, type OpenLoopResult } from '../load/http-open-loop.js';
import { openImageHosts, startScan, waitForScan, cancelScan } from '../load/scan.js';
import { runTelltale, type Preload, startTelltale } from '../programs/telltale.js';

/** Device, images and processes of a scan. */
interface ScanSetting {
  readonly device: string | null;
  /** Absolute paths of the scanned images, or of the images that are checked over HTTP during a scan. */
  readonly files: readonly string[];
  readonly hosts: number;
  readonly workers: number;
}

/** Runs a scan on a new, empty database. Measures its speed, memory, and the processor time of workers and database. */
export async function runScan(
  settings: ScanSetting & { readonly pictures: number; readonly preloads: readonly Preload[] },
) {
  const { device, files, pictures, hosts, workers, preloads } = settings;
  const postgres = await startNewPostgres();
  const databaseUrl = postgres.createDatabase();
  const endings: (() => unknown)[] = [() => postgres.close()];
  try {
    const served = await openImageHosts(files, hosts);
    endings.push(() => served.close());
    const telltale = await runTelltale({ device, databaseUrl, preloads });
    endings.push(() => telltale.stop());
    const working = await Promise.all(Array.from({ length: workers }, () => telltale.startWorker()));
    endings.push(() => Promise.all(working.map((worker) => worker.stop())));
    const sumOf = (read: 'processorSeconds' | 'peakMemoryMb'): number =>
      working.reduce((sum, worker) => sum + worker[read](), 0);
    const before = await readDatabaseSums(databaseUrl);
    const started = sumOf('processorSeconds');
    const addresses = Array.from({ length: pictures }, (_, index) => served.addressOf(index));
    const { id } = await startScan(telltale, addresses);
    const ended = await waitForScan(telltale, id, ({ ended_at }) => ended_at !== null);
    const workerSeconds = sumOf('processorSeconds') - started;
    const peakWorkerMb = sumOf('peakMemoryMb') / workers;
    const seconds = (Date.parse(ended.ended_at ?? '') - Date.parse(ended.started_at ?? '')) / 1000;
    // The database includes a connection's work in its statistics only after the connection has closed.
    for (const end of endings.splice(1).reverse()) await end();
    await setTimeout(1000);
    const after = await readDatabaseSums(databaseUrl);
    return {
      pictures,
      checked: ended.counts.checked,
      seconds,
      perSecond: pictures / seconds,
      workerSeconds,
      databaseSeconds: after.processorSeconds - before.processorSeconds,
      peakWorkerMb,
      before,
      after,
    };
  } finally {
    for (const end of endings.reverse()) await end();
  }
}

interface ScanBesideSettings extends ScanSetting {
  /** Absolute paths of the images of the scan. */
  readonly scanned: readonly string[];
  readonly ratePerSecond: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly warmUpSeconds: number;
}

/** Number of items in the scan, which is cancelled when its round is over. Chosen: more than any machine finishes. */
const ITEMS = 20_000;

/** Measures all rounds on a new, empty database, alternately without and with a scan. Workers run all the time, but are idle in rounds without a scan. */
export async function runScanBeside(settings: ScanBesideSettings) {
  const { device, files, scanned, hosts, workers, rounds, warmUpSeconds } = settings;
  const served = await openImageHosts(scanned, hosts);
  const addresses = Array.from({ length: ITEMS }, (_, index) => served.addressOf(index));
  const telltale = await startTelltale('postgres', device);
  const working = await Promise.all(Array.from({ length: workers }, () => telltale.startWorker()));
  try {
    const bodies = readBodies(files, 'multipart');
    if (warmUpSeconds > 0)
      await runHttpClosedLoop(telltale, bodies, { connections: 2, seconds: warmUpSeconds, warmUpSeconds: 0 });
    const without: OpenLoopResult[] = [];
    const beside: (OpenLoopResult & { readonly scannedPerSecond: number })[] = [];
    for (let round = 0; round < rounds; round += 1) {
      without.push(await runHttpOpenLoop(telltale, bodies, settings));
      const { id } = await startScan(telltale, addresses);
      const before = await waitForScan(telltale, id, ({ counts }) => counts.checked >= 2 * workers);
      const loop = await runHttpOpenLoop(telltale, bodies, settings);
      const { counts } = await cancelScan(telltale, id);
      const checked = counts.checked - before.counts.checked;
      beside.push({ ...loop, scannedPerSecond: checked / settings.seconds });
    }
    return { without, beside };
  } finally {
    for (const worker of working) await worker.stop();
    await telltale.stop();
    served.close();
  }
}

/** Checks images over HTTP on a new, empty database and measures the work. */
export async function runChecksMetered(settings: {
  readonly files: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}) {
  const postgres = await startNewPostgres();
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

async function startNewPostgres(): Promise<PostgresServer> {
  const bin = findPostgres();
  if (bin === null) throw new Error('PostgreSQL is not installed');
  return startPostgres(bin, { isDurable: true });
}
