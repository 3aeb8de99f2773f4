// Open loop against a service over HTTP: a fixed rate of arrivals.
import { readBodies, type BodyKind } from '../load/bodies.js';
import { runHttpClosedLoop } from '../load/http-closed-loop.js';
import { runHttpOpenLoop, type OpenLoopResult } from '../load/http-open-loop.js';
import { startTarget } from '../targets/start.js';
import type { TargetName } from '../targets/target.js';

/** What is put under load, with what, at what rate. */
export interface HttpOpenSettings {
  readonly target: TargetName;
  readonly device: string | null;
  readonly body: BodyKind;
  readonly files: readonly string[];
  readonly ratePerSecond: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** A loop and what the service took for it. */
export interface HttpOpenResult extends OpenLoopResult {
  readonly peakMemoryMb: number;
  readonly eventLoopDelayMs: number;
}

/** Starts the service, warms it up in a closed loop, sends at the fixed rate, stops it. */
export async function runHttpOpen(settings: HttpOpenSettings): Promise<HttpOpenResult> {
  const target = await startTarget(settings.target, settings.device);
  try {
    const bodies = readBodies(settings.files, settings.body);
    const warmUp = { connections: 2, seconds: settings.warmUpSeconds, warmUpSeconds: 0 };
    if (settings.warmUpSeconds > 0) await runHttpClosedLoop(target, bodies, warmUp);
    const loop = await runHttpOpenLoop(target, bodies, settings);
    const eventLoopDelayMs = await target.eventLoopDelayMs();
    return { ...loop, peakMemoryMb: target.peakMemoryMb(), eventLoopDelayMs };
  } finally {
    await target.stop();
  }
}
