// Closed loop against a service over HTTP.
import { watchHealth } from '../load/health.js';
import { readBodies, type BodyKind } from '../load/bodies.js';
import { runHttpClosedLoop, type HttpLoopResult } from '../load/http-closed-loop.js';
import { percentile } from '../statistics.js';
import { startTarget } from '../targets/start.js';
import type { TargetName } from '../targets/target.js';

/** What is put under load, with what, for how long. */
export interface HttpClosedSettings {
  readonly target: TargetName;
  readonly device: string | null;
  readonly body: BodyKind;
  readonly files: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** A loop and what the service took for it. */
export interface HttpClosedResult extends HttpLoopResult {
  readonly peakMemoryMb: number;
  /** 99th percentile; NaN where the service does not tell. */
  readonly eventLoopDelayMs: number;
  /** 99th percentile of the answers to GET /healthz, asked for all the while. */
  readonly healthMs: number;
}

/** Starts the service, loads it, stops it. */
export async function runHttpClosed(settings: HttpClosedSettings): Promise<HttpClosedResult> {
  const target = await startTarget(settings.target, settings.device);
  try {
    const health = watchHealth(target.url);
    const loop = await runHttpClosedLoop(target, readBodies(settings.files, settings.body), settings);
    const healthMs = percentile(await health.stop(), 99);
    const eventLoopDelayMs = await target.eventLoopDelayMs();
    return { ...loop, peakMemoryMb: target.peakMemoryMb(), eventLoopDelayMs, healthMs };
  } finally {
    await target.stop();
  }
}
