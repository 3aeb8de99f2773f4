// Measuring the service on both databases: compared with the engine, by number of connections, and at fixed rates.
import { GOALS } from '../goals.js';
import { columns, show } from '../report/section.js';
import { MAX_EFFICIENCY, type Goal, type Section, type Table } from '../report/section.js';
import type { BodyKind } from '../load/http-bodies.js';
import { median, ratioOfRounds } from '../statistics.js';
import { explainMissingTelltale, type Database } from '../programs/telltale.js';
import type { TrialResult } from '../trials/kinds.js';
import type { Context } from '../trials/runner.js';

type Closed = TrialResult<'http-closed'>;
type Open = TrialResult<'http-open'>;

/** Request rates as shares of the service's highest rate. */
const RATES = [0.5, 0.9, 1.5];

export async function measureService(context: Context): Promise<Section> {
  const missing = explainMissingTelltale('sqlite');
  if (missing !== null) {
    context.runner.skip('service', 'telltale serve', missing);
    return { title: 'Service', tables: [], goals: [] };
  }
  const { goal, capacity } = await compareWithEngine(context);
  const variants = await measureVariants(context);
  const curve = await measureCurve(context);
  const open = await measureOpenLoops(context, capacity);
  return {
    title: 'Service',
    tables: [tableOfClosed(variants, curve), tableOfOpen(open)],
    goals: [goal, ...goalsOfOpen(open)],
  };
}

function closedLoop(
  { runner, loads, durations, options }: Context,
  name: string,
  target: { database: Database; body: BodyKind; connections: number; seconds: number },
): Promise<Closed | null> {
  return runner.run('service', name, 'http-closed', {
    target: `telltale-${target.database}`,
    device: options.device,
    body: target.body,
    files: loads.photo,
    connections: target.connections,
    seconds: target.seconds,
    warmUpSeconds: durations.warmUpSeconds,
  });
}

/** Measures the engine and the service alternately. */
async function compareWithEngine(context: Context): Promise<{ goal: Goal; capacity: number }> {
  const { runner, durations } = context;
  const engine: number[] = [];
  const service: number[] = [];
  for (let round = 1; round <= durations.rounds; round += 1) {
    const name = `engine alone, round ${round}`;
    const engineAlone = await runner.runEngine(context, 'service', name, { seconds: durations.roundSeconds });
    const served = await closedLoop(context, `over HTTP, round ${round}`, {
      database: 'sqlite',
      body: 'multipart',
      connections: durations.callers,
      seconds: durations.roundSeconds,
    });
    if (engineAlone && served) {
      engine.push(engineAlone.perSecond);
      service.push(served.perSecond);
    }
  }
  const ratio = ratioOfRounds(service, engine);
  const goal: Goal = {
    what: "HTTP service: throughput ÷ the engine's (multipart, SQLite, load photo)",
    value: ratio.median,
    unit: '',
    wanted: GOALS.serviceThroughput,
    faultyAbove: MAX_EFFICIENCY,
    note:
      `${ratio.rounds} rounds, ${show(ratio.least)} to ${show(ratio.greatest)}; service ${show(median(service))}, ` +
      `engine ${show(median(engine))} checks/s; the load generator shares the cores`,
  };
  return { goal, capacity: median(service) };
}

async function measureVariants(context: Context): Promise<[name: string, result: Closed][]> {
  const variants: [string, Database, BodyKind][] = [
    ['JSON with base64, SQLite', 'sqlite', 'json'],
    ['multipart, PostgreSQL', 'postgres', 'multipart'],
    ['JSON with base64, PostgreSQL', 'postgres', 'json'],
  ];
  const { callers, roundSeconds } = context.durations;
  const results: [string, Closed][] = [];
  for (const [name, database, body] of variants) {
    const missing = explainMissingTelltale(database);
    if (missing !== null) {
      context.runner.skip('service', name, missing);
      continue;
    }
    const result = await closedLoop(context, name, {
      database,
      body,
      connections: callers,
      seconds: roundSeconds,
    });
    if (result) results.push([`${name}, ${callers}`, result]);
  }
  return results;
}

async function measureCurve(context: Context): Promise<(Closed & { concurrency: number })[]> {
  const points: (Closed & { concurrency: number })[] = [];
  for (const concurrency of context.durations.concurrencies) {
    const result = await closedLoop(context, `${concurrency} connections`, {
      database: 'sqlite',
      body: 'multipart',
      connections: concurrency,
      seconds: context.durations.curveSeconds,
    });
    if (result) points.push({ ...result, concurrency });
  }
  return points;
}

async function measureOpenLoops(
  { runner, loads, durations, options }: Context,
  capacity: number,
): Promise<(Open & { share: number })[]> {
  const results: (Open & { share: number })[] = [];
  for (const share of RATES) {
    const result = await runner.run('service', `arrivals at ${share * 100}% of capacity`, 'http-open', {
      target: 'telltale-sqlite',
      device: options.device,
      body: 'multipart',
      files: loads.photo,
      ratePerSecond: share * capacity,
      seconds: durations.openSeconds,
      warmUpSeconds: durations.warmUpSeconds,
    });
    if (result) results.push({ ...result, share });
  }
  return results;
}

function tableOfClosed(
  variants: readonly [name: string, result: Closed][],
  curve: readonly (Closed & { concurrency: number })[],
): Table {
  const all: [string, Closed][] = [
    ...curve.map((point): [string, Closed] => [`multipart, SQLite, ${point.concurrency}`, point]),
    ...variants,
  ];
  return {
    title: 'Closed loop over HTTP, load photo',
    head: columns(
      'body, database, connections | requests/s | p50 ms | p95 ms | p99 ms | failures | event loop delay p99 ms | /healthz p99 ms | /healthz failures | peak MB',
    ),
    rows: all.map(([name, result]) => {
      const { perSecond, latency, failures, eventLoopDelayMs, healthMs, healthFailures, peakMemoryMb } =
        result;
      return [
        name,
        ...[perSecond, latency.p50, latency.p95, latency.p99].map(show),
        String(failures),
        ...[eventLoopDelayMs, healthMs].map(show),
        String(healthFailures),
        show(peakMemoryMb),
      ];
    }),
  };
}

function tableOfOpen(loops: readonly (Open & { share: number })[]): Table {
  return {
    title: 'Open loop over HTTP: requests arrive at a fixed rate (multipart, SQLite, load photo)',
    head: columns(
      'share of capacity | arrivals/s | goodput/s | p50 ms | p95 ms | p99 ms | refused | refusal p50 ms | refusal p99 ms | failures | peak MB',
    ),
    rows: loops.map((loop) => [
      `${loop.share * 100}%`,
      ...[
        loop.ratePerSecond,
        loop.goodputPerSecond,
        loop.latency.p50,
        loop.latency.p95,
        loop.latency.p99,
      ].map(show),
      String(loop.refusals),
      ...[loop.refusalLatency.p50, loop.refusalLatency.p99].map(show),
      String(loop.failures),
      show(loop.peakMemoryMb),
    ]),
  };
}

function goalsOfOpen(loops: readonly (Open & { share: number })[]): Goal[] {
  const half = loops.find(({ share }) => share === 0.5);
  const near = loops.find(({ share }) => share === 0.9);
  const overloaded = loops.find(({ share }) => share === 1.5);
  return [
    {
      what: 'p99 ÷ p50 at 50% of capacity, open loop',
      value: half ? half.latency.p99 / half.latency.p50 : null,
      unit: '',
      wanted: GOALS.tailAtHalfLoad,
      note: half
        ? `p50 ${show(half.latency.p50)} ms, p99 ${show(half.latency.p99)} ms of ${half.checks}`
        : '',
    },
    {
      what: 'goodput at 150% ÷ goodput at 90% of capacity',
      value: near && overloaded ? overloaded.goodputPerSecond / near.goodputPerSecond : null,
      unit: '',
      wanted: GOALS.goodputBeyondCapacity,
      note: overloaded
        ? `${overloaded.refusals} of ${overloaded.sent} refused, half of them within ${show(overloaded.refusalLatency.p50)} ms`
        : '',
    },
  ];
}
