// Groups with a single measurement each: cold start, memory, GPU.
import { GOALS } from '../goals.js';
import { join } from 'node:path';
import { root } from '../machine/machine.js';
import { columns, show } from '../report/section.js';
import type { Section, Table } from '../report/section.js';
import { median, percentile, spread } from '../statistics.js';
import type { Context } from '../trials/runner.js';
import { measureCurve, tableOfCurve } from './engine.js';

/** Measures the command `telltale check` on one small file. */
export async function measureColdStart({ runner, durations }: Context): Promise<Section> {
  const file = join(root, 'samples/scene.jpg');
  const result = await runner.run('cold-start', 'telltale check samples/scene.jpg', 'cold-start', {
    file,
    runs: durations.coldStarts,
  });
  const seconds = (result?.timesMs ?? []).map((ms) => ms / 1000);
  const [least, greatest] = spread(seconds);
  return {
    title: 'Cold start',
    tables: [],
    goals: [
      {
        what: '`telltale check samples/scene.jpg`, a fresh process from start to end',
        value: median(seconds),
        unit: 's',
        wanted: GOALS.coldStart,
        note: `median of ${seconds.length}, ${show(least)} to ${show(greatest)} s`,
      },
    ],
  };
}

/** Measures the process's memory over many checks. */
export async function measureMemory({ runner, loads, durations, options }: Context): Promise<Section> {
  const wanted = options.pictures ?? durations.memoryChecks;
  const result = await runner.run('memory', `${wanted} checks in one process`, 'memory', {
    files: loads.memory,
    checks: wanted,
    concurrency: durations.callers,
    views: options.views,
  });
  if (!result) return { title: 'Memory', tables: [], goals: [] };
  const { samples, settledMb, endMb, growthPerThousandMb, peakMb, checks, seconds } = result;
  const { slope, least, greatest } = growthPerThousandMb;
  const interval = `${show(least)} to ${show(greatest)} MB`;
  const tail = samples.slice(-Math.ceil(samples.length / 5)).map(([, mb]) => mb);
  return {
    title: 'Memory',
    tables: [
      {
        title: `Resident memory over ${checks} checks (${show(seconds)} s)`,
        head: columns(
          'after a fifth | at the end | median of the last fifth | peak | trend a thousand checks | its 95% interval',
        ),
        rows: [
          [
            ...[settledMb, endMb, percentile(tail, 50), peakMb, slope].map((mb) => `${show(mb)} MB`),
            interval,
          ],
        ],
      },
    ],
    goals: [
      {
        what: 'memory: trend of the last four fifths of the checks, each thousand',
        value: slope,
        unit: 'MB',
        wanted: GOALS.memoryTrend,
        note: `95% interval ${interval}; ${checks} checks; ${show(settledMb)} MB after a fifth, ${show(endMb)} MB at the end`,
      },
      {
        what: 'memory: resident at the end',
        value: endMb,
        unit: 'MB',
        wanted: GOALS.memory,
        note: `${checks} checks in one process; ${show(peakMb)} MB at most`,
      },
    ],
  };
}

/** Measures the engine with CUDA and with TensorRT, as far as they are available. */
export async function measureGpu(context: Context): Promise<Section> {
  const tables: Table[] = [];
  for (const device of ['cuda', 'tensorrt'] as const) {
    const points = await measureCurve(context, 'gpu', device);
    const table = tableOfCurve(`Engine on ${device}, load photo`, points);
    tables.push({
      ...table,
      head: [...table.head, 'GPU busy'],
      rows:
        points.length === 0
          ? [['not measured here', ...table.head.map(() => '–')]]
          : table.rows.map((row, at) => [...row, show(points[at]?.gpuBusy ?? null)]),
    });
  }
  return { title: 'GPU', tables, goals: [] };
}
