// A scan on PostgreSQL: a service, workers, pictures over HTTP; how fast, and what the database had to do.
import { setTimeout } from 'node:timers/promises';
import { findPostgres, startPostgres } from '../../test/support/postgres.js';
import { readDatabaseSums, type DatabaseSums } from '../load/database.js';
import { openPictureHosts } from '../load/scan.js';
import { startScan, waitForScan } from '../load/scan.js';
import { runTelltale, type Preload } from '../programs/telltale.js';

/** What is scanned, by whom. */
export interface ScanSettings {
  readonly device: string | null;
  /** Absolute paths, served in turn. */
  readonly files: readonly string[];
  readonly pictures: number;
  readonly hosts: number;
  readonly workers: number;
  readonly preloads: readonly Preload[];
}

/** What became of it. */
export interface ScanResult {
  readonly pictures: number;
  readonly checked: number;
  /** From the first item that was taken to the last answer. */
  readonly seconds: number;
  readonly perSecond: number;
  /** Processor seconds meanwhile. */
  readonly workerSeconds: number;
  readonly databaseSeconds: number;
  readonly peakWorkerMb: number;
  /** The database before and after. */
  readonly before: DatabaseSums;
  readonly after: DatabaseSums;
}

/** Scans on a new, empty database of this machine. */
export async function runScan(settings: ScanSettings): Promise<ScanResult> {
  const { device, files, pictures, hosts, workers, preloads } = settings;
  const bin = findPostgres();
  if (bin === null) throw new Error('PostgreSQL is not installed');
  const postgres = await startPostgres(bin, { isDurable: true });
  const databaseUrl = postgres.createDatabase();
  const endings: (() => unknown)[] = [() => postgres.close()];
  try {
    const served = await openPictureHosts(files, hosts);
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
    // They hand their books in as they go.
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
