// Measuring a service over HTTP: with a fixed number of connections (closed loop) or at a fixed rate (open loop).
import { readBodies, type Body, type BodyKind } from '../load/http-bodies.js';
import { watchHealth, runHttpClosedLoop, type HttpLoopResult } from '../load/http-closed-loop.js';
import { runHttpOpenLoop, type OpenLoopResult } from '../load/http-open-loop.js';
import { startTarget, type TargetName } from '../programs/program.js';
import type { Target } from '../programs/server-process.js';
import { percentile } from '../statistics.js';

interface HttpSettings {
  readonly target: TargetName;
  readonly device: string | null;
  readonly body: BodyKind;
  readonly files: readonly string[];
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** Settings of a measurement in which each connection sends its next request when the response arrives. */
export interface HttpClosedSettings extends HttpSettings {
  readonly connections: number;
}

/** Settings of a measurement that sends requests at a fixed rate. */
export interface HttpOpenSettings extends HttpSettings {
  readonly ratePerSecond: number;
}

interface ServiceCost {
  readonly peakMemoryMb: number;
  /** 99th percentile. NaN if the service does not report it. */
  readonly eventLoopDelayMs: number;
}

export interface HttpClosedResult extends HttpLoopResult, ServiceCost {
  /** 99th percentile of the response time of GET /healthz, which is requested during the whole measurement. */
  readonly healthMs: number;
  /** Number of health requests without a response. */
  readonly healthFailures: number;
}

export type HttpOpenResult = OpenLoopResult & ServiceCost;

/** Starts the service, sends requests over a fixed number of connections, and stops the service. */
export function runHttpClosed(settings: HttpClosedSettings): Promise<HttpClosedResult> {
  return withTarget(settings, async (target, bodies) => {
    const health = watchHealth(target.url);
    const loop = await runHttpClosedLoop(target, bodies, settings);
    const { timesMs, failures } = await health.stop();
    return { ...loop, healthMs: percentile(timesMs, 99), healthFailures: failures };
  });
}

/** Starts the service, warms it up, sends requests at the fixed rate, and stops the service. */
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
