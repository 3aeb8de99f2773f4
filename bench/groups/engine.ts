// Measuring the engine in one process: latency by number of callers, and efficiency compared with an upper bound.
import type { Device } from 'telltale-engine';
import { GOALS } from '../goals.js';
import { MAX_EFFICIENCY, show, showSpread, type Goal, type Section, type Table } from '../report/section.js';
import { readViews } from '../baselines/node/models.js';
import { median, ratioOfRounds, spread } from '../statistics.js';
import type { TrialResult } from '../trials/kinds.js';
import type { Context } from '../trials/runner.js';

/** Measurement of the engine with one number of concurrent callers. */
export type EnginePoint = TrialResult<'engine-closed'> & { readonly concurrency: number };

export async function measureEngine(context: Context): Promise<Section> {
  const curve = await measureCurve(context, 'engine', context.options.device);
  const loads = context.options.files === null ? (['photo', 'mix'] as const) : (['mix'] as const);
  const goals: Goal[] = [];
  for (const load of loads) goals.push(...(await measureEfficiency(context, load)));
  return {
    title: 'Engine',
    tables: [tableOfCurve('Engine in one process, load photo, by callers at once', curve)],
    goals,
  };
}

/** Measures the engine by number of concurrent callers, until a measurement fails. */
export async function measureCurve(
  context: Context,
  group: 'engine' | 'gpu',
  device: Device,
): Promise<EnginePoint[]> {
  const points: EnginePoint[] = [];
  for (const concurrency of context.durations.concurrencies) {
    const name = `${group === 'gpu' ? `${device}, ` : ''}${concurrency} callers at once`;
    const settings = { device, concurrency, seconds: context.durations.curveSeconds };
    const result = await context.runner.runEngine(context, group, name, settings);
    if (result === null) break;
    points.push({ ...result, concurrency });
  }
  return points;
}

/** Measures the upper bound and the engine alternately, on files that both can decode. */
async function measureEfficiency(context: Context, load: 'photo' | 'mix'): Promise<Goal[]> {
  const { runner, loads, durations, options, cores } = context;
  if (options.device !== 'cpu' && options.device !== 'auto') return [];
  const names = [...new Set(loads[load])];
  const probed = await runner.runNative<{ file: string; bare: boolean }>(
    'engine',
    `what the load ${load} needs`,
    {
      trial: 'probe',
      files: names,
    },
  );
  const fit = new Set(probed.filter(({ bare }) => bare).map(({ file }) => file));
  const files = loads[load].filter((file) => fit.has(file));
  const limits: number[] = [];
  const reached: number[] = [];
  for (let round = 1; round <= durations.rounds; round += 1) {
    const rows = await runner.runNative<{ checks: number; seconds: number }>(
      'engine',
      `upper bound, load ${load}, round ${round}`,
      {
        trial: 'limit',
        files,
        ms: durations.roundSeconds * 1000,
        threads: cores,
      },
    );
    const result = await runner.runEngine(context, 'engine', `engine, load ${load}, round ${round}`, {
      device: 'cpu',
      // All crops are checked, because the upper bound also runs all of them.
      views: readViews(),
      files,
      seconds: durations.roundSeconds,
    });
    const [row] = rows;
    if (!row || !result) continue;
    limits.push(row.checks / row.seconds);
    reached.push(result.perSecond);
  }
  const efficiency = ratioOfRounds(reached, limits);
  return [
    {
      what: `engine efficiency, load ${load}: upper bound's time ÷ engine's time, all cores`,
      value: efficiency.median,
      unit: '',
      wanted: GOALS.engineEfficiency,
      faultyAbove: MAX_EFFICIENCY,
      note:
        `${efficiency.rounds} rounds, ${show(efficiency.least)} to ${show(efficiency.greatest)}; upper bound ` +
        `${showSpread(median(limits), spread(limits))}, engine ${showSpread(median(reached), spread(reached))} checks/s`,
    },
  ];
}

/** Returns a table of throughput and latencies by number of callers, with the time of each step of a check. */
export function tableOfCurve(title: string, points: readonly EnginePoint[]): Table {
  const numbers = ['checks/s', 'p50 ms', 'p95 ms', 'p99 ms', 'cores busy', 'rows a run', 'peak MB'];
  const steps = ['queue', 'decode', 'faces', 'inference'] as const;
  return {
    title,
    head: ['callers', ...numbers, ...steps.map((step) => `${step} ms, mean`)],
    rows: points.map((point) => {
      const { perSecond, latency, coresBusy, rowsPerBatch, peakMemoryMb } = point;
      const { p50, p95, p99 } = latency;
      const measured = [perSecond, p50, p95, p99, coresBusy, rowsPerBatch, peakMemoryMb];
      const means = steps.map((step) => point.stepsMs?.[step] ?? null);
      return [String(point.concurrency), ...[...measured, ...means].map(show)];
    }),
  };
}
