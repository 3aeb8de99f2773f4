// Checks over HTTP at a steady rate on PostgreSQL, in turn without and with a scan that workers of the machine run.
import { openPictureHosts } from '../load/scan.js';
import { readBodies } from '../load/http-bodies.js';
import { runHttpClosedLoop } from '../load/http-closed-loop.js';
import { runHttpOpenLoop, type OpenLoopResult } from '../load/http-open-loop.js';
import { cancelScan, startScan, waitForScan } from '../load/scan.js';
import { startTelltale } from '../programs/telltale.js';

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
  const served = await openPictureHosts(scanned, hosts);
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
