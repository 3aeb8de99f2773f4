// Scans on PostgreSQL: how fast and at what cost to the database; checks over HTTP beside one, and what they cost the database.
import { setTimeout } from 'node:timers/promises';
import { findPostgres, startPostgres, type PostgresServer } from '../../test/support/postgres.js';
import { readDatabaseSums, type DatabaseSums } from '../load/database.js';
import { readBodies } from '../load/http-bodies.js';
import { runHttpClosedLoop } from '../load/http-closed-loop.js';
import { runHttpOpenLoop, type OpenLoopResult } from '../load/http-open-loop.js';
import { openImageHosts, startScan, waitForScan, cancelScan } from '../load/scan.js';
import { runTelltale, type Preload, startTelltale } from '../programs/telltale.js';

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

/** What is sent, and what is scanned meanwhile. */
export interface ScanBesideSettings {
  readonly device: string | null;
  /** Sent to the service. */
  readonly files: readonly string[];
  /** Scanned. */
  readonly scanned: readonly string[];
  readonly hosts: number;
  readonly workers: number;
  readonly ratePerSecond: number;
  /** Of one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly warmUpSeconds: number;
}

/** The rounds, in the order in which they ran: without, with, without, ... */
export interface ScanBesideResult {
  readonly without: readonly OpenLoopResult[];
  readonly beside: readonly (OpenLoopResult & {
    /** That the workers got done meanwhile. */
    readonly scannedPerSecond: number;
  })[];
}

/** Items of the scan that is cancelled when its round is over. Chosen: more than any machine gets done. */
const ITEMS = 20_000;

/** Runs the rounds on a new, empty database. The workers are there all the while, and have nothing to do in half of it. */
export async function runScanBeside(settings: ScanBesideSettings): Promise<ScanBesideResult> {
  const { device, files, scanned, hosts, workers, rounds, warmUpSeconds } = settings;
  const served = await openImageHosts(scanned, hosts);
  const addresses = Array.from({ length: ITEMS }, (_, index) => served.addressOf(index));
  const telltale = await startTelltale('postgres', device);
  const working = await Promise.all(Array.from({ length: workers }, () => telltale.startWorker()));
  try {
    const bodies = readBodies(files, 'multipart');
    if (warmUpSeconds > 0)
      await runHttpClosedLoop(telltale, bodies, {
        connections: 2,
        seconds: warmUpSeconds,
        warmUpSeconds: 0,
      });
    const without: OpenLoopResult[] = [];
    const beside: ScanBesideResult['beside'][number][] = [];
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
