// Starting any of the measured services, by name.
import { startNodeBaseline, startPythonBaseline } from './baselines.js';
import type { Target } from './server-process.js';
import { startTelltale } from './telltale.js';

/** Services that the bench can measure. */
const STARTS = {
  'telltale-sqlite': (device: string | null): Promise<Target> => startTelltale('sqlite', device),
  'telltale-postgres': (device: string | null): Promise<Target> => startTelltale('postgres', device),
  'node-baseline': startNodeBaseline,
  'python-baseline': startPythonBaseline,
};

export type TargetName = keyof typeof STARTS;

/** Starts a service and waits until it responds. */
export async function startTarget(name: TargetName, device: string | null): Promise<Target> {
  const target = await STARTS[name](device);
  await waitUntilReady(target);
  return target;
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
