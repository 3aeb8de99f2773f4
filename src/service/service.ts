// Composition root: creates every object of a serving process, and closes them in reverse order.
import type { Logger } from 'pino';
import { loadPlans } from '../accounts/plans.js';
import { describeTrust, type TrustDescription } from 'telltale-engine/internal/check/credentials/trust.js';
import type { Checker } from 'telltale-engine/internal/check/checker.js';
import type { Config } from '../config.js';
import type { Database } from '../storage/db/database.js';
import { buildOrClose, type Closers, openChecker, openTables, openScans } from './open-parts.js';
import { listSweeps, startSweeping } from './sweeps.js';
import { createOpenId, type OpenId } from './console/openid.js';
import { createConsole } from './console/router.js';
import { startFitting } from './own-thresholds/fit.js';
import { createAdmission } from './http/checks/admission.js';
import { createApp } from './http/app.js';
import type { Services } from './services.js';
import { createAuthenticate } from './http/middleware/authenticate.js';
import { createImageFetcher } from './outbound/fetch-image.js';
import { fetcherOf, type FetcherOptions } from './outbound/guarded-agent.js';
import { createMakers } from './makers/makers.js';
import { MAX_BATCH_IMAGES } from 'telltale-engine/internal/base/limits.js';
import { createMetrics, type Metrics } from './http/metrics/metrics.js';
import { listen, type HttpServer } from './http/server.js';
import { PACKAGE_MODELS_DIR, readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { openRecordKeys } from './record-keys/open-keys.js';
import { createRecorder, type Recorder } from '../record/content/recorder.js';
import { readProvenance } from '../record/content/provenance.js';
import { createImageRetention } from '../storage/images/image-retention.js';
import { openImageStore } from '../storage/images/open-image-store.js';
import { createLog } from './log.js';
import { createAppealNotifier, createQuotaNotifier } from './webhooks/work.js';
import { openTraces } from './traces/span.js';

/** Requests per engine thread with a body in memory. Some are received while others run. */
const PERMITS_PER_THREAD = 6;
const MIN_PERMITS = 12;
/** Maximum number of scan lists received concurrently, and of lists that wait. Each takes megabytes. */
const MAX_CONCURRENT_LISTS = 4;
const MAX_WAITING_LISTS = 16;
/** Maximum number of stored images being sent. Only converted ones, such as TIFF, are held in memory. */
const MAX_CONCURRENT_KEPT_IMAGES = 16;
/** Maximum number of originals received through appeal links. Each link may hold one of these permits. */
const MAX_CONCURRENT_LINK_UPLOADS = 4;
const MAX_WAITING_PER_LINK = 2;
/** Codes of errors that occur when the caller disconnects during a response. */
const DISCONNECT_CODES = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];
/** Milliseconds that running requests may take to finish when the service stops. */
const STOP_LIMIT_MS = 20_000;

/** A running service. */
interface Service {
  /** Address of the service: `http://host:port`. */
  readonly url: string;
  readonly metrics: Metrics;
  /** Stops accepting requests, finishes running ones within 20 s and closes everything; safe to call twice. */
  stop(): Promise<void>;
}

/** Options that the worker processes of a cluster and the tests set. */
export interface ServiceOptions {
  readonly log?: Logger;
  /** Returns the metrics of all processes; default: the metrics of this process. */
  readonly readMetrics?: () => Promise<string>;
  /** Options of outbound requests that tests replace. */
  readonly fetcher?: FetcherOptions;
}

/**
 * Opens the database and the image store, loads the models and listens. Rejects with StartError (plans,
 * models, device, port) or CheckError `unavailable` (database).
 */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  return buildOrClose(async (closers) => {
    const parts = await openParts(config, options, closers);
    const { log, engine, database, retention, scans, metrics, permits } = parts;
    let isStopping = false;
    const app = assembleApp(config, parts, {
      isStopping: () => isStopping,
      readMetrics: options.readMetrics ?? (() => metrics.registry.metrics()),
    });
    app.on('error', (error: NodeJS.ErrnoException) => {
      if (!DISCONNECT_CODES.includes(error.code ?? '')) log.error({ err: error }, 'a response failed');
    });
    const server = await listen(app.callback(), config);
    closers.add(startSweeping(listSweeps(config, { database, retention, scans }), log));
    closers.add(() => server.stop(STOP_LIMIT_MS));
    const { device, deviceReason, threads } = engine.stats();
    log.info({ device, device_reason: deviceReason, threads, permits, queue: config.queueLimit }, 'serving');

    let stopped: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      isStopping = true;
      const { semaphore, keptSemaphore, listSemaphore, linkSemaphore } = parts;
      for (const each of [semaphore, keptSemaphore, listSemaphore, linkSemaphore]) each.close();
      await closers.close();
      log.info('stopped');
    };
    return { url: addressOf(server), metrics, stop: () => (stopped ??= stop()) };
  });
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Opens everything that the HTTP routes need. */
async function openParts(config: Config, options: ServiceOptions, closers: Closers) {
  const { log, lostLines } = options.log ? { log: options.log, lostLines: () => 0 } : createLog(config);
  // Opened first and closed last, because requests that finish during a stop still add spans.
  const traces = await openTraces(config.traces, 'telltale', log);
  closers.add(() => traces.sdk.close());
  const plans = loadPlans(config.plansFile ?? undefined);
  const database = await openTables(config, closers);
  const store = await openImageStore(config.store);
  closers.add(() => store.close());
  const permits = Math.max(MIN_PERMITS, PERMITS_PER_THREAD * config.threads);
  // The engine's queue must hold the images of all admitted requests, of which each may have several.
  const queueLimit = permits * MAX_BATCH_IMAGES;
  const { checker, fixedBy } = await openChecker(config, { database, log, closers, queueLimit });
  const { engine, calibration, credentials } = checker;
  const version = readVersion();
  const recorder = await openRecorder(config, database, checker, version);
  const retention = createImageRetention(database, store, config.storeDays);
  if (fixedBy === null) {
    const { profile } = config;
    closers.add(startFitting({ database, retention, engine, calibration, profile, log }));
  }
  const fetcher = createImageFetcher({ ...fetcherOf(config), ...options.fetcher });
  closers.add(() => fetcher.close());
  const makers = createMakers(config.makers, database, { log, ...fetcherOf(config), ...options.fetcher });
  closers.add(() => makers.close());
  const semaphores = createSemaphores(permits, config.queueLimit);
  const scans = await openScans(config, database, log);
  closers.add(() => scans?.close());
  const readTrust = async (): Promise<TrustDescription> =>
    describeTrust(await credentials.trust(), new Date());
  const readModel = (): string => calibration.current.model;
  const metrics = createMetrics({ engine, ...semaphores, lostLines, scans, version, readModel, readTrust });
  return {
    log,
    traces,
    plans,
    database,
    permits,
    engine,
    calibration,
    credentials,
    fixedBy,
    version,
    recorder,
    retention,
    fetcher,
    makers,
    ...semaphores,
    scans,
    readTrust,
    metrics,
  };
}

/** Creates the semaphores that limit the number of requests, because each request needs memory. */
function createSemaphores(permits: number, queueLimit: number) {
  return {
    semaphore: createAdmission(permits, queueLimit),
    keptSemaphore: createAdmission(MAX_CONCURRENT_KEPT_IMAGES, queueLimit),
    listSemaphore: createAdmission(MAX_CONCURRENT_LISTS, MAX_WAITING_LISTS),
    linkSemaphore: createAdmission(
      MAX_CONCURRENT_LINK_UPLOADS,
      MAX_WAITING_PER_LINK,
      1 - 1 / MAX_CONCURRENT_LINK_UPLOADS,
    ),
  };
}

const modelsDirOf = ({ modelsDir }: Config): string => modelsDir ?? PACKAGE_MODELS_DIR;

/** Opens the recorder and its keys; the first start creates a key. Rejects if the key can't be used. */
async function openRecorder(
  config: Config,
  database: Database,
  checker: Checker,
  version: string,
): Promise<Recorder> {
  const recordKeys = openRecordKeys(config, database);
  await recordKeys.signer();
  return createRecorder(await readProvenance(checker, modelsDirOf(config), version), recordKeys);
}

/**
 * Opens the OpenID provider for sign-in, or returns null if none is configured. The service starts even if
 * the provider is unreachable, because each sign-in tries again.
 */
function openOpenId({ openId: setting, publicUrl }: Config, log: Logger): OpenId | null {
  if (setting === null || publicUrl === null) return null;
  const openId = createOpenId(setting, publicUrl);
  openId
    .discover()
    .catch((error: unknown) =>
      log.warn({ err: error }, 'TELLTALE_OIDC_ISSUER does not respond like an OpenID provider'),
    );
  return openId;
}

/** Creates the HTTP application with the routes of the interface and the console. */
function assembleApp(
  config: Config,
  parts: Parts,
  process: Pick<Services, 'isStopping' | 'readMetrics'>,
): ReturnType<typeof createApp> {
  const { scans, credentials, fetcher, database, plans, log } = parts;
  const services: Services = {
    ...config,
    ...parts,
    ...process,
    fetchManifest: config.remoteManifests ? fetcher.fetchManifest : undefined,
    onMark: scans && createQuotaNotifier(scans.queue),
    onAppeal: scans && createAppealNotifier(scans.queue),
    queue: scans?.queue ?? null,
    openId: openOpenId(config, log),
    allow: fetcherOf(config).allow ?? null,
    loadTrust: () => credentials.trust(),
    startReader: () => credentials.start(),
    authenticate: createAuthenticate(database, plans),
  };
  return createApp(services, createConsole(services));
}

/** Returns the address as `http://host:port`. */
function addressOf({ address: { family, address, port } }: HttpServer): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
