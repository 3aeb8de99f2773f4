// Any service under test, by its name.
import { startNodePeer, startPythonPeer } from './peers.js';
import type { Target, TargetName } from './target.js';
import { startTelltale } from './telltale.js';

/** Starts it and waits until it answers. */
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
    case 'node-peer':
      return startNodePeer('sharp');
    case 'opencv-peer':
      return startNodePeer('opencv4nodejs');
    case 'python-peer':
      return startPythonPeer();
  }
}

/** Several processes share a port: each must have loaded its models before the load begins. */
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
  throw new Error(`${url} does not answer`);
}
