// Scan worker: a process that checks the items of scans from the queue. Over HTTP it serves only monitoring.
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { buildOrClose, type Closers, openChecker, openTables } from './open-parts.js';
import type { Checker } from 'telltale-engine/internal/check/checker.js';
import { inBackground } from 'telltale-engine/internal/engine/native/background.js';
import { CheckError, StartError } from 'telltale-engine/internal/base/errors.js';
import { createImageFetcher, type ImageFetcher } from './outbound/fetch-image.js';
import { fetcherOf, type FetcherOptions } from './outbound/guarded-agent.js';
import { readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { createWorkerMetrics } from './http/metrics/process-metrics.js';
import { startMonitoring, type Monitoring } from './http/metrics/metrics.js';
import { openQueue } from '../storage/queue/queue.js';
import { recordAnswers } from './scans/answers.js';
import { type ScanDeps, type ScanListener, type ItemBatch, readOptions } from './scans/scan.js';
import { readKey } from './scans/read-list.js';
import { createItemBatchKind, itemDeadline, endItemBatch, ITEM_BATCH_MS } from './scans/item-batches.js';
import { type WorkDeps, checkItem, EnginePermits } from './scans/work/check-item.js';
import { HostQueues, returnHostSlot, acquireHostSlot } from './scans/work/host-queues.js';
import { retryWhileUnavailable, AnswerWriter } from './scans/work/answer-writer.js';
import type { ObjectSource } from '../storage/images/s3-source.js';
import { openTraces } from './traces/span.js';
import { createWebhookNotifier, startDeliveries } from './webhooks/work.js';
import pMap from 'p-map';
import type { Job } from '../storage/queue/job-kind.js';
import { openScan, readOpenItems } from './scans/work/open-scan.js';

/** Number of concurrent batches. With two, one batch computes while the other fetches images. */
const ITEM_BATCHES_AT_ONCE = 2;
const POLL_MS = 500;
/** Milliseconds that a stopping worker waits for an unavailable database. */
const STOP_MS = 5000;

/** A running scan worker. */
export interface ScanWorker {
  /** Starts no more images, finishes running ones and closes everything. */
  stop(): Promise<void>;
  /** Port of the monitoring server, or null without a server. */
  readonly monitoringPort: number | null;
}

/** Options of a scan worker, and replacements for tests. */
interface ScanWorkerOptions {
  readonly log: Logger;
  /** Port of /healthz, /readyz and /metrics. 0 selects a free port; default: no monitoring. */
  readonly monitoringPort?: number | undefined;
  readonly fetcher?: FetcherOptions;
  /** Receiver of scan events that tests use instead of webhooks. */
  readonly listener?: ScanListener;
  /** Options of webhook requests that tests replace. */
  readonly webhooks?: FetcherOptions;
}

/** Starts a worker. Rejects with StartError (no PostgreSQL, models, device) or CheckError `unavailable`. */
export async function startScanWorker(config: Config, options: ScanWorkerOptions): Promise<ScanWorker> {
  const { database: setting } = config;
  if (setting.kind !== 'postgres')
    throw new StartError(
      'config_invalid',
      'a worker needs PostgreSQL: set TELLTALE_DATABASE_URL=postgres://...',
    );
  return buildOrClose(async (closers) => {
    const { log } = options;
    const databaseGivenUp = new AbortController();
    const deps = await openWork(config, setting.url, { ...options, closers, lost: databaseGivenUp.signal });
    const { queue, itemBatchKind, engine } = deps;
    const monitoring = await openMonitoring(config, options.monitoringPort, deps);
    closers.add(() => monitoring?.close());
    const work = queue.work(
      itemBatchKind,
      { concurrency: ITEM_BATCHES_AT_ONCE, pollMs: POLL_MS },
      (job, signal) => runItemBatch(deps, job, signal),
    );
    closers.add(async () => {
      const timer = setTimeout(() => databaseGivenUp.abort(), STOP_MS);
      await work.stop().finally(() => clearTimeout(timer));
    });
    const { threads, device } = engine.stats();
    log.info({ threads, device, ...(monitoring && { monitoring_port: monitoring.port }) }, 'working');
    return {
      monitoringPort: monitoring?.port ?? null,
      async stop() {
        await closers.close();
        log.info('stopped');
      },
    };
  });
}

/** Opens everything that a worker needs to check items and to deliver webhooks. */
async function openWork(
  config: Config,
  databaseUrl: string,
  options: ScanWorkerOptions & { readonly closers: Closers; readonly lost: AbortSignal },
): Promise<WorkDeps & Pick<Checker, 'credentials'>> {
  const { log, closers, lost } = options;
  const traces = await openTraces(config.traces, 'telltale-worker', log);
  closers.add(() => traces.sdk.close());
  const database = await openTables(config, closers);
  // Runs with low priority, so that checks over HTTP on the same machine come first.
  const { checker } = await inBackground(() => openChecker(config, { database, log, closers }));
  const { engine, calibration, credentials } = checker;
  const fetcher = createImageFetcher({ ...fetcherOf(config), ...options.fetcher });
  closers.add(() => fetcher.close());
  const objects = await openObjects(config);
  closers.add(() => objects?.close());
  const onFault = (error: unknown): void => log.warn({ err: error }, 'a fault while scanning');
  const queue = await openQueue(databaseUrl, onFault);
  closers.add(() => queue.close());
  const itemBatchKind = createItemBatchKind(config.deadlineMs);
  await queue.define(itemBatchKind);
  const scans: ScanDeps = {
    database,
    queue,
    itemBatchKind,
    listener: options.listener ?? createWebhookNotifier(queue),
  };
  // Scan events arise in workers. Workers also deliver their webhooks, so that no other process is needed.
  const fetcherOptions = { ...fetcherOf(config), ...options.webhooks };
  closers.add(await startDeliveries({ database, queue, log, traces, fetcher: fetcherOptions }));
  return {
    ...scans,
    traces,
    engine,
    calibration,
    credentials,
    fetchManifest: config.remoteManifests ? fetcher.fetchManifest : undefined,
    fetch: (address) => fetchAddress(address, fetcher, objects),
    hosts: new HostQueues({
      acquire: (host) => retryWhileUnavailable(lost, () => acquireHostSlot(database, host)),
      release: (slot) => retryWhileUnavailable(lost, () => returnHostSlot(database, slot)),
    }),
    // One image more than the engine decodes concurrently, so that a free thread always has an image.
    permits: new EnginePermits(engine.stats().threads.decode + 1),
    recorder: new AnswerWriter((id, answers) =>
      retryWhileUnavailable(lost, () => recordAnswers(scans, id, answers, config.historyDays > 0)),
    ),
    knownDecides: config.knownDecides,
    historyNames: config.historyNames,
    deadlineMs: itemDeadline(config.deadlineMs),
    lost,
    onFault,
  };
}

async function openMonitoring(
  { host }: Config,
  port: number | undefined,
  {
    database,
    engine,
    calibration,
    credentials,
  }: Pick<WorkDeps, 'database' | 'engine' | 'calibration'> & Pick<Checker, 'credentials'>,
): Promise<Monitoring | null> {
  if (port === undefined) return null;
  const readModel = (): string => calibration.current.model;
  const registry = createWorkerMetrics({ engine, database, version: readVersion(), readModel });
  const readReadiness = async (): Promise<object> => {
    await database.run((queries) => queries.raw('select 1'));
    await credentials.start();
    return { model: readModel(), bands_version: calibration.current.version };
  };
  return startMonitoring({ registry, readReadiness }, { host, port });
}

async function openObjects({ store }: Config): Promise<ObjectSource | null> {
  if (store.kind !== 's3') return null;
  const { createS3Source } = await import('../storage/images/s3-source.js');
  return createS3Source(store.bucket);
}

/** Fetches an image. A stop does not abort it, because the fetch would only be repeated later. */
function fetchAddress(
  address: string,
  fetcher: ImageFetcher,
  objects: ObjectSource | null,
): Promise<Uint8Array> {
  const { signal } = new AbortController();
  const key = readKey(address);
  if (key === null) return fetcher.fetch(address, signal);
  if (objects) return objects.read(key, signal);
  throw new CheckError('url_fetch_failed', 'this worker is not configured with the object store of the scan');
}

/** Number of fetches in addition to running checks. Enough to hide response times of half a second. */
const EXTRA_FETCHES = 12;

/** Checks items for ITEM_BATCH_MS and leaves the rest to another batch. Rejects without a database. */
async function runItemBatch(deps: WorkDeps, job: Job<ItemBatch>, stopping: AbortSignal): Promise<void> {
  // Not AbortSignal.timeout: Node 20 drops that signal if only AbortSignal.any references it.
  const timeLimit = new AbortController();
  const timer = setTimeout(() => timeLimit.abort(new Error('the turn is over')), ITEM_BATCH_MS);
  const ending = AbortSignal.any([stopping, timeLimit.signal]);
  const hasRest = await checkItems(deps, job.data, ending).finally(() => clearTimeout(timer));
  await retryWhileUnavailable(deps.lost, () => endItemBatch(deps, job, hasRest));
}

/** Checks the items until `ending` aborts. Returns whether items remain for another batch. */
async function checkItems(deps: WorkDeps, batch: ItemBatch, ending: AbortSignal): Promise<boolean> {
  const openBatchScan = (): ReturnType<typeof openScan> =>
    retryWhileUnavailable(deps.lost, () => openScan(deps, batch));
  const scan = await openBatchScan();
  if (!scan) return false;
  const options = {
    ...readOptions(scan),
    hashingAccountId: scan.hashes_since === null ? null : scan.account_id,
  };
  const items = await retryWhileUnavailable(deps.lost, () => readOpenItems(deps.database, batch));
  const state = { hasRest: false, isOver: false };
  const concurrency = deps.engine.stats().threads.decode + 1 + EXTRA_FETCHES;
  await pMap(
    items,
    async (item) => {
      if (state.isOver) return;
      if (ending.aborted) {
        state.hasRest = true;
        return;
      }
      try {
        const isAnswered = await checkItem(deps, options, item, ending);
        if (!isAnswered && (await openBatchScan()) === null) state.isOver = true;
      } catch (error) {
        // The batch ended before the item's check began. Other errors are unexpected.
        if (error !== ending.reason) throw error;
        state.hasRest = true;
      }
    },
    { concurrency },
  );
  return state.hasRest && !state.isOver;
}
