// Starting any of the measured services, by name.
import { startNodeBaseline, startPythonBaseline } from './baselines.js';
import type { Target } from './server-process.js';
import { startTelltale } from './telltale.js';

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
