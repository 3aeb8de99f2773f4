// Measuring scans: their speed compared with the engine, and the latency of checks over HTTP during a scan.
import { GOALS } from '../goals.js';
import { columns, show, showSpread } from '../report/section.js';
import { MAX_EFFICIENCY, type Goal, type Section, type Table } from '../report/section.js';
import { median, spread } from '../statistics.js';
import { explainMissingTelltale } from '../programs/telltale.js';
import type { TrialResult } from '../trials/kinds.js';
import type { Context } from '../trials/runner.js';

const WORKERS = 2;
/** Number of image hosts. Each host gets at most ten requests per second. */
const HOSTS = 32;
/** Rate of checks over HTTP during a scan, as a share of the engine's own speed. Chosen: a modest load. */
const BESIDE_SHARE = 0.25;

type Beside = TrialResult<'scan-beside'>;

export async function measureScan(context: Context): Promise<Section> {
  const missing = explainMissingTelltale('postgres');
  if (missing !== null) {
    context.runner.skip('scan', 'telltale worker', missing);
    return { title: 'Scans', tables: [], goals: [] };
  }
  const { runner, loads, durations, options } = context;
  const pictures = options.pictures ?? durations.scanImages;
  const before = await measureEngine(context, 'before');
  const scan = await runner.run('scan', `${pictures} images, ${WORKERS} workers`, 'scan', {
    device: options.device,
    files: loads.mix,
    pictures,
    hosts: HOSTS,
    workers: WORKERS,
    preloads: [],
  });
  const after = await measureEngine(context, 'after');
  const engine = [before, after].filter((perSecond) => !Number.isNaN(perSecond));
  const beside = await runner.run('scan', 'checks over HTTP beside a scan', 'scan-beside', {
    device: options.device,
    files: loads.photo,
    scanned: loads.mix,
    hosts: HOSTS,
    workers: WORKERS,
    ratePerSecond: BESIDE_SHARE * median(engine),
    seconds: durations.besideSeconds,
    rounds: durations.besideRounds,
    warmUpSeconds: durations.warmUpSeconds,
  });
  return {
    title: 'Scans',
    tables: [...(scan ? [tableOfScan(scan)] : []), ...(beside ? [tableOfBeside(beside)] : [])],
    goals: [...(scan ? [goalOfRate(scan, engine)] : []), ...(beside ? [goalOfLatency(beside)] : [])],
  };
}

/** Returns the engine's checks per second in one process, on the images of the scan. */
async function measureEngine(context: Context, when: string): Promise<number> {
  const settings = { files: context.loads.mix, seconds: context.durations.scanEngineSeconds };
  const result = await context.runner.runEngine(context, 'scan', `engine alone, ${when}`, settings);
  return result?.perSecond ?? NaN;
}

function goalOfRate(scan: TrialResult<'scan'>, engine: readonly number[]): Goal {
  return {
    what: `scan of ${scan.pictures} images over HTTP, ${WORKERS} workers: images a second ÷ checks a second of the engine alone`,
    value: scan.perSecond / median(engine),
    unit: '',
    wanted: GOALS.scanThroughput,
    faultyAbove: MAX_EFFICIENCY,
    note: `scan ${show(scan.perSecond)}, engine ${showSpread(median(engine), spread(engine))}; the hosts and PostgreSQL share the cores`,
  };
}

function goalOfLatency({ without, beside }: Beside): Goal {
  const [alone, busy] = [p99Of(without), p99Of(beside)];
  return {
    what: `p99 of POST /v1/check beside a scan ÷ without one, ${show(without[0]?.ratePerSecond ?? NaN)} checks a second`,
    value: busy / alone,
    unit: '',
    wanted: GOALS.tailBesideScan,
    note: `${without.length} rounds of each in turn; medians of their p99: ${show(alone)} and ${show(busy)} ms`,
  };
}

function p99Of(loops: readonly { readonly latency: { readonly p99: number } }[]): number {
  return median(loops.map(({ latency }) => latency.p99));
}

function tableOfScan(scan: TrialResult<'scan'>): Table {
  const { pictures, checked, seconds, perSecond, workerSeconds, databaseSeconds, peakWorkerMb } = scan;
  return {
    title: `A scan, load mix, ${WORKERS} workers, PostgreSQL`,
    head: columns(
      'images | checked | s | images/s | processor ms an image: workers | PostgreSQL | peak MB a worker',
    ),
    rows: [
      [
        String(pictures),
        String(checked),
        ...[
          seconds,
          perSecond,
          (workerSeconds / pictures) * 1000,
          (databaseSeconds / pictures) * 1000,
          peakWorkerMb,
        ].map(show),
      ],
    ],
  };
}

function tableOfBeside({ without, beside }: Beside): Table {
  return {
    title:
      'POST /v1/check at a steady rate, without and with a scan on the same machine (load photo, PostgreSQL)',
    head: ['round', 'checks', 'p50 ms', 'p95 ms', 'p99 ms', 'slowest ms', 'failures', 'scanned/s'],
    rows: without.flatMap((loop, index) => {
      const busy = beside[index];
      return [
        rowOf(`${index + 1}, without`, loop, '–'),
        ...(busy ? [rowOf(`${index + 1}, beside a scan`, busy, show(busy.scannedPerSecond))] : []),
      ];
    }),
  };
}

function rowOf(name: string, loop: Beside['without'][number], scanned: string): string[] {
  const { checks, latency, failures, refusals } = loop;
  const times = [latency.p50, latency.p95, latency.p99, latency.max].map(show);
  return [name, String(checks), ...times, String(failures + refusals), scanned];
}
