// Starting any of the measured services, by name.
import type { HttpTarget } from '../load/http-closed-loop.js';
import { startNodeBaseline, startPythonBaseline } from './baselines.js';
import { startTelltale } from './telltale.js';

export interface Target extends HttpTarget {
  /** Highest memory use of the service's processes together, in MB. */
  readonly peakMemoryMb: () => number;
  /** 99th percentile of the event loop's delay since the start, in ms. NaN if the service does not report it. */
  readonly eventLoopDelayMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Services that the bench can measure. */
export const TARGET_NAMES = [
  'telltale-sqlite',
  'telltale-postgres',
  'node-baseline',
  'python-baseline',
] as const;

export type TargetName = (typeof TARGET_NAMES)[number];

/** Starts a service and waits until it responds. */
export async function startTarget(name: TargetName, device: string | null): Promise<Target> {
  const target = await start(name, device);
  await waitUntilReady(target);
  return target;
}

function start(name: TargetName, device: string | null): Promise<Target> {
  switch (name) {
    case 'telltale-sqlite':
      return startTelltale('sqlite', device);
    case 'telltale-postgres':
      return startTelltale('postgres', device);
    case 'node-baseline':
      return startNodeBaseline();
    case 'python-baseline':
      return startPythonBaseline();
  }
}

/** Waits until every process has loaded its models, because several processes share a port. */
async function waitUntilReady({ url }: Target): Promise<void> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    try {
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`${url} does not respond`);
}
