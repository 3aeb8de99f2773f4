// The engine in one process: latency by concurrency, and efficiency against the bare loops.
import { GOALS } from '../goals.js';
import { plotLines, type Series } from '../report/line-chart.js';
import { show, showSpread } from '../report/numbers.js';
import { MOST_EFFICIENCY, type Goal, type Section, type Table } from '../report/section.js';
import { readViews } from '../peers/node/models.js';
import { median, ratioOfRounds, spread } from '../statistics.js';
import type { TrialResult } from '../trials/kinds.js';
import type { Context } from './context.js';

/** A point of the engine's curve. */
export type EnginePoint = TrialResult<'engine-closed'> & { readonly concurrency: number };

interface LimitRow {
  readonly checks: number;
  readonly seconds: number;
}

interface ProbeRow {
  readonly file: string;
  readonly bare: boolean;
}

/** Runs the group. */
export async function measureEngine(context: Context): Promise<Section> {
  const curve = await measureCurve(context);
  const loads = context.options.files === null ? (['photo', 'mix'] as const) : (['mix'] as const);
  const goals: Goal[] = [];
  for (const load of loads) goals.push(...(await measureEfficiency(context, load)));
  return {
    title: 'Engine',
    tables: [tableOfCurve('Engine in one process, load photo, by callers at once', curve)],
    goals,
    plots: [{ name: 'engine-latency', svg: plotLatency('Engine in one process', curve, []) }],
  };
}

async function measureCurve({ runner, loads, durations, options }: Context): Promise<EnginePoint[]> {
  const points: EnginePoint[] = [];
  for (const concurrency of durations.concurrencies) {
    const result = await runner.run('engine', `${concurrency} callers at once`, 'engine-closed', {
      who: 'telltale',
      device: options.device,
      files: loads.photo,
      concurrency,
      seconds: durations.curveSeconds,
      warmUpSeconds: durations.warmUpSeconds,
    });
    if (result === null) break;
    points.push({ ...result, concurrency });
  }
  return points;
}

/** Bare loops and engine in turn, on files that both can decode. */
async function measureEfficiency(context: Context, load: 'photo' | 'mix'): Promise<Goal[]> {
  const { runner, loads, durations, options, cores } = context;
  if (options.device !== 'cpu' && options.device !== 'auto') return [];
  const names = [...new Set(loads[load])];
  const probed = await runner.runNative<ProbeRow>('engine', `what the load ${load} needs`, {
    trial: 'probe',
    files: names,
  });
  const fit = new Set(probed.filter(({ bare }) => bare).map(({ file }) => file));
  const files = loads[load].filter((file) => fit.has(file));
  const limits: number[] = [];
  const reached: number[] = [];
  for (let round = 1; round <= durations.rounds; round += 1) {
    const rows = await runner.runNative<LimitRow>('engine', `bare loops, load ${load}, round ${round}`, {
      trial: 'limit',
      files,
      ms: durations.roundSeconds * 1000,
      threads: cores,
    });
    const result = await runner.run('engine', `engine, load ${load}, round ${round}`, 'engine-closed', {
      who: 'telltale',
      device: 'cpu',
      // What the bare loops show.
      views: readViews(),
      files,
      concurrency: durations.callers,
      seconds: durations.roundSeconds,
      warmUpSeconds: durations.warmUpSeconds,
    });
    limits.push(...rows.map(({ checks, seconds }) => checks / seconds));
    if (result) reached.push(result.perSecond);
  }
  const efficiency = ratioOfRounds(reached, limits);
  return [
    {
      what: `engine efficiency, load ${load}: time of the bare loops ÷ time of the engine, all cores`,
      value: efficiency.median,
      unit: '',
      wanted: GOALS.engineEfficiency,
      faultyAbove: MOST_EFFICIENCY,
      note:
        `${efficiency.rounds} rounds, ${show(efficiency.least)} to ${show(efficiency.greatest)}; bare loops ` +
        `${showSpread(median(limits), spread(limits))}, engine ${showSpread(median(reached), spread(reached))} checks/s`,
    },
  ];
}

/** Throughput and latencies of a curve. */
export function tableOfCurve(title: string, points: readonly EnginePoint[]): Table {
  return {
    title,
    head: ['callers', 'checks/s', 'p50 ms', 'p95 ms', 'p99 ms', 'cores busy', 'rows a run', 'peak MB'],
    rows: points.map(({ concurrency, perSecond, latency, coresBusy, rowsPerBatch, peakMemoryMb }) => [
      String(concurrency),
      ...[perSecond, latency.p50, latency.p95, latency.p99, coresBusy, rowsPerBatch, peakMemoryMb].map(show),
    ]),
  };
}

/** A point of any curve of latency. */
export interface LatencyPoint {
  readonly concurrency: number;
  readonly latency: { readonly p50: number; readonly p99: number };
}

/** Latency against callers at once; of the service, too, where it was measured. */
export function plotLatency(
  title: string,
  engine: readonly LatencyPoint[],
  service: readonly LatencyPoint[],
): string {
  const lines = (name: string, points: readonly LatencyPoint[], color: number): Series[] =>
    points.length === 0
      ? []
      : [
          {
            label: `${name}, p50`,
            color,
            points: points.map((point) => [point.concurrency, point.latency.p50]),
          },
          {
            label: `${name}, p99`,
            color,
            isDashed: true,
            points: points.map((point) => [point.concurrency, point.latency.p99]),
          },
        ];
  return plotLines(`${title}: latency against load`, 'callers at once', 'ms', [
    ...lines('engine', engine, 0),
    ...lines('service', service, 1),
  ]);
}
