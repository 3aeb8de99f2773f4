// Cluster mode: the primary process starts workers, combines their metrics and restarts them; each worker serves requests.
import { performance } from 'node:perf_hooks';
import cluster, { type Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import type { Config } from '../config.js';
import { MIN_MEMORY_MB } from 'telltale-engine/internal/engine/native/options.js';
import { startService } from './service.js';

/** Message from a worker: it accepts requests, or it asks for the metrics of all workers. */
type WorkerMessage =
  | { readonly type: 'telltale:listening'; readonly url: string }
  | { readonly type: 'telltale:metrics-wanted'; readonly request: number };

/** Message from the primary: shut down gracefully, or the metrics that the worker asked for. */
type PrimaryMessage =
  | { readonly type: 'telltale:stop' }
  | { readonly type: 'telltale:metrics'; readonly request: number; readonly text: string };

/** Minimum milliseconds that a worker must run to be replaced immediately. Prevents a tight restart loop. */
const SETTLED_MS = 10_000;
const RESTART_PAUSE_MS = 1000;
/** Milliseconds after which a stopping worker is killed; longer than a graceful shutdown takes. */
const STOP_LIMIT_MS = 25_000;

/** The running worker processes, which share one port. */
export interface Workers {
  readonly url: string;
  /** Shuts all workers down gracefully. Resolves after the last one has exited. */
  stop(): Promise<void>;
}

/**
 * Starts `count` workers with this process's program and arguments. Resolves when all accept requests. Throws
 * StartError if a worker exits before that; the worker has then printed the reason to standard error.
 */
export async function startWorkers(count: number, log: Logger): Promise<Workers> {
  const metrics = createPrimaryMetrics();
  let isStopping = false;
  cluster.on('message', (worker, message: WorkerMessage) => {
    if (message.type === 'telltale:metrics-wanted') void answerMetrics(worker, message.request, metrics.read);
  });
  cluster.on('exit', (worker, code, signal) => {
    if (isStopping || !listening.has(worker)) return;
    metrics.exits.inc({ reason: signal || `status ${code}` });
    log.error({ worker: worker.process.pid, code, signal }, 'a worker died and is replaced');
    void replace(worker);
  });
  const listening = new Map<Worker, number>();
  const start = async (): Promise<string> => {
    const worker = cluster.fork();
    const url = await waitUntilListening(worker);
    listening.set(worker, performance.now());
    return url;
  };
  const replace = async (worker: Worker): Promise<void> => {
    const lifeMs = performance.now() - (listening.get(worker) ?? 0);
    listening.delete(worker);
    if (lifeMs < SETTLED_MS) await setTimeout(RESTART_PAUSE_MS);
    while (!isStopping) {
      try {
        await start();
        return;
      } catch (error) {
        log.error({ err: error }, 'a worker did not start');
        await setTimeout(RESTART_PAUSE_MS);
      }
    }
  };
  const stop = async (): Promise<void> => {
    isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map(stopWorker));
  };
  try {
    const [url = ''] = await Promise.all(Array.from({ length: count }, start));
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function waitUntilListening(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'telltale:listening') resolve(message.url);
    });
    worker.once('exit', () =>
      reject(new StartError('config_invalid', 'a worker ended before it could serve')),
    );
  });
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) {
      resolve();
      return;
    }
    const timer = globalThis.setTimeout(() => worker.process.kill('SIGKILL'), STOP_LIMIT_MS);
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    if (worker.isConnected()) worker.send({ type: 'telltale:stop' } satisfies PrimaryMessage);
  });
}

async function answerMetrics(worker: Worker, request: number, read: () => Promise<string>): Promise<void> {
  const text = await read();
  if (worker.isConnected()) worker.send({ type: 'telltale:metrics', request, text } satisfies PrimaryMessage);
}

function createPrimaryMetrics(): { read: () => Promise<string>; exits: Counter } {
  const ownRegistry = new Registry();
  const all = new AggregatorRegistry();
  const exits = new Counter({
    name: 'telltale_worker_exits_total',
    help: 'Workers that died and were replaced, by signal or exit status',
    labelNames: ['reason'],
    registers: [ownRegistry],
  });
  new Gauge({
    name: 'telltale_workers',
    help: 'Workers that run',
    registers: [ownRegistry],
    collect() {
      this.set(Object.keys(cluster.workers ?? {}).length);
    },
  });
  // The request fails if a worker dies before it responds. Retries once, then omits the workers' metrics.
  const readWorkers = (): Promise<string> =>
    all.clusterMetrics().catch(() => all.clusterMetrics().catch(() => ''));
  return { exits, read: async () => `${await readWorkers()}\n${await ownRegistry.metrics()}` };
}

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
