// Closed and open loops against a service over HTTP.
import { readBodies, type Body, type BodyKind } from '../load/http-bodies.js';
import { watchHealth, runHttpClosedLoop, type HttpLoopResult } from '../load/http-closed-loop.js';
import { runHttpOpenLoop, type OpenLoopResult } from '../load/http-open-loop.js';
import { startTarget, type Target, type TargetName } from '../programs/program.js';
import { percentile } from '../statistics.js';

/** What is put under load, and with what. */
interface HttpSettings {
  readonly target: TargetName;
  readonly device: string | null;
  readonly body: BodyKind;
  readonly files: readonly string[];
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** A closed loop. */
export interface HttpClosedSettings extends HttpSettings {
  readonly connections: number;
}

/** An open loop: a fixed rate of arrivals. */
export interface HttpOpenSettings extends HttpSettings {
  readonly ratePerSecond: number;
}

/** What the service took. */
interface ServiceCost {
  readonly peakMemoryMb: number;
  /** 99th percentile; NaN where the service does not report it. */
  readonly eventLoopDelayMs: number;
}

/** A closed loop and what the service took for it. */
export interface HttpClosedResult extends HttpLoopResult, ServiceCost {
  /** 99th percentile of the answers to GET /healthz, asked for all the while. */
  readonly healthMs: number;
  /** Those that had no answer. */
  readonly healthFailures: number;
}

/** An open loop and what the service took for it. */
export type HttpOpenResult = OpenLoopResult & ServiceCost;

/** Starts the service, loads it, stops it. */
export function runHttpClosed(settings: HttpClosedSettings): Promise<HttpClosedResult> {
  return withTarget(settings, async (target, bodies) => {
    const health = watchHealth(target.url);
    const loop = await runHttpClosedLoop(target, bodies, settings);
    const { timesMs, failures } = await health.stop();
    return { ...loop, healthMs: percentile(timesMs, 99), healthFailures: failures };
  });
}

/** Starts the service, warms it up in a closed loop, sends at the fixed rate, stops it. */
export function runHttpOpen(settings: HttpOpenSettings): Promise<HttpOpenResult> {
  return withTarget(settings, async (target, bodies) => {
    const warmUp = { connections: 2, seconds: settings.warmUpSeconds, warmUpSeconds: 0 };
    if (settings.warmUpSeconds > 0) await runHttpClosedLoop(target, bodies, warmUp);
    return runHttpOpenLoop(target, bodies, settings);
  });
}

async function withTarget<Loop>(
  { target: name, device, files, body }: HttpSettings,
  run: (target: Target, bodies: readonly Body[]) => Promise<Loop>,
): Promise<Loop & ServiceCost> {
  const target = await startTarget(name, device);
  try {
    const loop = await run(target, readBodies(files, body));
    const eventLoopDelayMs = await target.eventLoopDelayMs().catch(() => NaN);
    return { ...loop, peakMemoryMb: target.peakMemoryMb(), eventLoopDelayMs };
  } finally {
    await target.stop();
  }
}
