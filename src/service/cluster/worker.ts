// Cluster mode: a worker process serves requests, reports to the primary and exits with it.
import cluster from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../../config.js';
import { MIN_MEMORY_MB } from 'telltale-engine/internal/engine/native/options.js';
import { startService } from '../service.js';
import type { PrimaryMessage, WorkerMessage } from './primary.js';

/**
 * Serves requests until `signal` aborts, or the primary stops this worker or exits. Rejects as `startService`
 * does.
 */
export async function runWorker(config: Config, signal: AbortSignal): Promise<void> {
  // The constructor makes this process respond to the primary's requests for metrics, which may already be
  // arriving.
  new AggregatorRegistry();
  const stopRequest = new AbortController();
  const waiting = new Map<number, (text: string) => void>();
  process.on('message', (message: PrimaryMessage) => {
    if (message.type === 'telltale:stop') stopRequest.abort();
    if (message.type === 'telltale:metrics') waiting.get(message.request)?.(message.text);
  });
  process.once('disconnect', () => stopRequest.abort());
  let requests = 0;
  const readMetrics = (): Promise<string> =>
    new Promise((resolve) => {
      const request = (requests += 1);
      waiting.set(request, (text) => {
        waiting.delete(request);
        resolve(text);
      });
      sendToPrimary({ type: 'telltale:metrics-wanted', request });
    });

  // Each worker gets an equal share of the machine's threads and memory.
  const threads = Math.max(1, Math.floor(config.threads / config.workers));
  const memoryMb = Math.max(MIN_MEMORY_MB, Math.floor(config.memoryMb / config.workers));
  const service = await startService({ ...config, threads, memoryMb }, { readMetrics });
  AggregatorRegistry.setRegistries(service.metrics.registry);
  sendToPrimary({ type: 'telltale:listening', url: service.url });
  await waitUntilAborted(AbortSignal.any([signal, stopRequest.signal]));
  await service.stop();
  cluster.worker?.disconnect();
}

function sendToPrimary(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

/** Resolves when `signal` aborts. */
export function waitUntilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
