// The composition root: builds every object of one serving process, and takes them down again in order.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { loadPlans } from '../accounts/plans.js';
import { createChecker } from '../check/checker.js';
import { describeTrust, type TrustDescription } from '../check/credentials/trust.js';
import { chosenModels, type Config } from '../config.js';
import { createOpenId } from './console/openid.js';
import { createConsole } from './console/router.js';
import { startFollowing, whyFixed } from './corrections/follow.js';
import { startLearning } from './corrections/learn.js';
import { openDatabase } from '../storage/db/database.js';
import { migrate } from '../storage/db/migrate.js';
import { sweepHistory } from '../accounts/history/checks.js';
import { openScans } from './open-scans.js';
import { sweepScans } from './scans/sweep.js';
import { cancelLeftUploads } from './scans/uploads.js';
import { sweepHostSlots } from './scans/work/host-slots.js';
import { AdmissionSemaphore } from './http/checks/admission.js';
import { createApp } from './http/app.js';
import { createAuthenticate } from './http/middleware/authenticate.js';
import { createImageFetcher } from './outbound/fetch-image.js';
import { fetcherOf, type FetcherOptions } from './outbound/guarded-agent.js';
import { MAX_BATCH_IMAGES } from '../base/limits.js';
import { createMetrics, type Metrics } from './http/metrics/metrics.js';
import { listen } from './http/server.js';
import { sweepArrivals } from '../accounts/members/arrivals.js';
import { sweepLinks } from '../accounts/members/links.js';
import { sweepSessions } from '../accounts/members/sessions.js';
import { sweepNetworks } from '../accounts/members/networks.js';
import { sweepTries } from '../accounts/members/sign-in.js';
import { sweepKeys } from '../accounts/usage/idempotency.js';
import { PACKAGE_MODELS_DIR } from '../base/package-paths.js';
import { openRecordKeys } from './record-keys/open-keys.js';
import { createRecorder } from '../record/content/recorder.js';
import { readProvenance } from '../record/content/provenance.js';
import { closeDataFolder } from '../storage/data-folder.js';
import { createImageRetention } from '../storage/images/image-retention.js';
import { openImageStore } from '../storage/images/open-image-store.js';
import { startSweeping } from './cleanup.js';
import { createLog } from './log.js';
import { openTraces } from './traces/open-traces.js';
import { readVersion } from '../base/version.js';
import { sweepWebhooks } from './webhooks/deliveries.js';

/** Requests that hold a body at once, for each thread of the engine: some are received while others are computed. */
const PLACES_PER_THREAD = 6;
const LEAST_PLACES = 12;
/** Lists of scans that come in at once, and that wait, unread: each has some megabytes in memory. */
const LISTS_AT_ONCE = 4;
const LISTS_WAITING = 16;
/** Kept pictures that are sent at once; only those that are drawn anew, such as TIFF, are whole in memory. */
const KEPT_AT_ONCE = 16;
/** Codes of an answer that broke off because its caller did not stay for it. */
const CALLER_LEFT = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];
/** What runs when the service is told to stop gets this long. */
const STOP_LIMIT_MS = 20_000;

/** A serving process. */
export interface Service {
  /** `http://host:port`. */
  readonly url: string;
  readonly metrics: Metrics;
  /** Takes no more requests, finishes what runs within 20 s, closes everything; safe to call twice. */
  stop(): Promise<void>;
}

/** What differs between a process of its own, one of several, and a test. */
export interface ServiceOptions {
  readonly log?: Logger;
  /** Metrics of all processes; default: this one's. */
  readonly readMetrics?: () => Promise<string>;
  /** What the fetcher takes for the world; for tests. */
  readonly fetcher?: FetcherOptions;
}

/**
 * Opens database and store, loads the models, listens. Rejects with StartError (plans, models, device, port) or CheckError
 * `unavailable` (database).
 */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return await build(config, options, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(
  config: Config,
  options: ServiceOptions,
  closers: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Service> {
  const { log, lostLines } = options.log ? { log: options.log, lostLines: () => 0 } : createLog(config);
  // Closed last: what is left to send has the end of everything else in it.
  const traces = await openTraces(config.traces, 'telltale', log);
  closers.push(() => traces.close());
  const plans = loadPlans(config.plansFile ?? undefined);
  closeDataFolder(config.dataDir);
  const database = await openDatabase(config.database);
  closers.push(() => database.close());
  await migrate(database);
  const store = await openImageStore(config.store);
  closers.push(() => store.close());
  const places = Math.max(LEAST_PLACES, PLACES_PER_THREAD * config.threads);
  const checker = await createChecker({
    ...chosenModels(config),
    device: config.device,
    threads: config.threads,
    memoryMb: config.memoryMb,
    // A request that was let in finds room: a batch brings several pictures at once.
    queueLimit: places * MAX_BATCH_IMAGES,
    cacheDir: join(config.dataDir, 'engine-cache'),
    trustDir: config.trustDir,
    shippedTrustDir: config.shippedTrustDir,
  });
  closers.push(() => checker.close());
  const { engine, calibration, credentials } = checker;
  const fixedBy = whyFixed(config, engine);
  if (fixedBy === null) closers.push(await startFollowing({ database, engine, calibration, log }));
  const version = readVersion();
  const recordKeys = openRecordKeys(config, database);
  // The key is made at the first start, and one that can't be used stops it.
  await recordKeys.signer();
  const modelsDir = config.modelsDir ?? PACKAGE_MODELS_DIR;
  const setting = await readProvenance(checker, modelsDir, version);
  const recorder = createRecorder(setting, recordKeys);
  const retention = createImageRetention(database, store, config.storeDays);
  const { profile } = config;
  if (fixedBy === null)
    closers.push(startLearning({ database, retention, engine, calibration, modelsDir, profile, log }));
  const readTrust = async (): Promise<TrustDescription> =>
    describeTrust(await credentials.trust(), new Date());
  const fetcher = createImageFetcher({ ...fetcherOf(config), ...options.fetcher });
  closers.push(() => fetcher.close());
  const semaphore = new AdmissionSemaphore(places, config.queueLimit);
  const keptSemaphore = new AdmissionSemaphore(KEPT_AT_ONCE, config.queueLimit);
  const listSemaphore = new AdmissionSemaphore(LISTS_AT_ONCE, LISTS_WAITING);
  const scans = await openScans(config, database, log);
  closers.push(() => scans?.close());
  const metrics = createMetrics({
    engine,
    semaphore,
    keptSemaphore,
    lostLines,
    scans,
    version,
    readModel: () => calibration.current.bands.model,
    readTrust,
  });
  let isStopping = false;

  const { publicUrl } = config;
  const openId = config.openId && publicUrl !== null ? createOpenId(config.openId, publicUrl) : null;
  // The service serves without its provider, too: each sign-in asks again.
  openId
    ?.discover()
    .catch((error: unknown) =>
      log.warn({ err: error }, 'TELLTALE_OIDC_ISSUER does not answer as a provider'),
    );

  const running = {
    engine,
    calibration,
    credentials,
    fetchManifest: config.remoteManifests ? fetcher.fetchManifest : undefined,
    database,
    fetcher,
    retention,
    recorder,
    metrics,
    traces,
    profile,
    historyDays: config.historyDays,
    historyNames: config.historyNames,
    deadlineMs: config.deadlineMs,
    semaphore,
    version,
  };
  const app = createApp({
    ...running,
    console: createConsole({
      ...running,
      plans,
      queue: scans?.queue ?? null,
      scans,
      listSemaphore,
      storeDays: config.storeDays,
      publicUrl,
      proxies: config.proxies,
      openId,
      allow: fetcherOf(config).allow ?? null,
      keptSemaphore,
      loadTrust: () => credentials.trust(),
      fixedBy,
    }),
    log,
    scans,
    listSemaphore,
    authenticate: createAuthenticate(database, plans),
    isStopping: () => isStopping,
    readTrust,
    readMetrics: options.readMetrics ?? (() => metrics.registry.metrics()),
  });
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!CALLER_LEFT.includes(error.code ?? '')) log.error({ err: error }, 'a response failed');
  });
  const server = await listen(app.callback(), config);
  closers.push(
    startSweeping(
      {
        images: () => retention.sweep(),
        'idempotency keys': () => sweepKeys(database),
        history: async () => {
          const named = await sweepHistory(database, config.historyDays);
          // Without a history pictures stay for their own days.
          if (config.historyDays > 0) await retention.release(named);
        },
        scans: async () => {
          if (scans) await cancelLeftUploads(scans);
          await sweepScans(database, config.scanDays);
        },
        'hosts of scans': () => sweepHostSlots(database),
        links: () => sweepLinks(database),
        arrivals: () => sweepArrivals(database),
        sessions: () => sweepSessions(database),
        'sign-in tries': () => sweepTries(database),
        'sign-in networks': () => sweepNetworks(database),
        webhooks: () => sweepWebhooks(database),
      },
      log,
    ),
  );
  const { device, deviceReason, threads } = engine.stats();
  log.info({ device, device_reason: deviceReason, threads, places, queue: config.queueLimit }, 'serving');

  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    isStopping = true;
    semaphore.close();
    keptSemaphore.close();
    listSemaphore.close();
    await server.stop(STOP_LIMIT_MS);
    await close();
    log.info('stopped');
  };
  const host = server.address.family === 'IPv6' ? `[${server.address.address}]` : server.address.address;
  return { url: `http://${host}:${server.address.port}`, metrics, stop: () => (stopped ??= stop()) };
}
