// Metrics of the service in Prometheus' format, and the monitoring server of a scan worker.
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import type { Semaphore } from 'telltale-engine/internal/base/concurrency.js';
import type { Database } from '../../../storage/db/database.js';
import type { TrustDescription } from 'telltale-engine/internal/check/credentials/trust.js';
import {
  addBuildInfo,
  addCount,
  addEngine,
  addGauges,
  addScanMetrics,
  addStages,
  addTrustAge,
} from './process-metrics.js';
import type { Outcome } from '../errors/answer-errors.js';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from 'telltale-engine/internal/base/errors.js';

/** Objects from which the metrics of a process are read. */
interface MetricSources {
  readonly engine: Engine;
  readonly semaphore: Semaphore;
  readonly keptSemaphore: Semaphore;
  /** Returns the number of lost log lines since the start. */
  readonly lostLines: () => number;
  /** Version of the package. */
  readonly version: string;
  /** Returns the name of the active model. */
  readonly readModel: () => string;
  readonly readTrust: () => Promise<TrustDescription>;
  /** Database of the scans, or null if scans are not configured. */
  readonly scans: { readonly database: Database } | null;
}

/** The metrics of one process. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts one image of a finished request, by its result. */
  countOutcome(outcome: Outcome): void;
  /** Number of images since this process started, including refused images. */
  readonly outcomes: { readonly checked: number; readonly refused: number };
  /** Counts one request. `code` is `ok` or the error code; `route` is a path of the service or `other`. */
  countRequest(request: {
    route: string;
    method: string;
    status: number;
    code: string;
    seconds: number;
    /** Milliseconds spent in each stage of the request. */
    durations: ReadonlyMap<string, number>;
  }): void;
}

/** Histogram buckets in seconds, from the time of a refusal to the time limit of a check. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Adds gauges of requests and stored images that are in memory or waiting. */
function addQueues(registry: Registry, { engine, semaphore, keptSemaphore }: MetricSources): void {
  addGauges(registry, [
    ['telltale_places_taken', 'Requests whose body is in memory', () => semaphore.inUse],
    [
      'telltale_requests_waiting',
      'Requests that wait for a permit; their bodies are not read yet',
      () => semaphore.waiting,
    ],
    [
      'telltale_kept_pictures_sent',
      'Stored images that are being sent to the console',
      () => keptSemaphore.inUse,
    ],
    [
      'telltale_kept_pictures_waiting',
      'Requests for stored images that wait for a permit',
      () => keptSemaphore.waiting,
    ],
    [
      'telltale_engine_queued',
      'Images that wait for a permit or for a decode thread',
      () => engine.stats().queued,
    ],
  ]);
}

/** Creates the metrics of the service in a new registry. */
export function createMetrics(sources: MetricSources): Metrics {
  const { engine, lostLines, scans, version, readModel, readTrust } = sources;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addBuildInfo(registry, () => ({ version, model: readModel() }));
  addTrustAge(registry, readTrust);
  addEngine(registry, engine);
  const observeStages = addStages(registry);
  const requests = new Counter({
    name: 'telltale_http_requests_total',
    help: 'Finished requests by route, method, status and error code (ok without an error)',
    labelNames: ['route', 'method', 'status', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'telltale_http_request_duration_seconds',
    help: 'Time from the header of a request to the end of its response',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers,
  });
  const checks = new Counter({
    name: 'telltale_checks_total',
    help: 'Checked images by verdict and by the detectors or credentials that flagged them',
    labelNames: ['is_ai', 'fired'],
    registers,
  });
  const refusals = new Counter({
    name: 'telltale_checks_refused_total',
    help: 'Refused or failed images by error code',
    labelNames: ['code'],
    registers,
  });
  addQueues(registry, sources);
  addCount(registry, [
    'telltale_log_lines_lost_total',
    'Log lines that were lost because they could not be written, for example to a full disk',
    lostLines,
  ]);
  if (scans) addScanMetrics(registry, scans.database);
  const outcomes = { checked: 0, refused: 0 };
  return {
    registry,
    outcomes,
    countOutcome(outcome) {
      outcomes[outcome.kind === 'failed' ? 'refused' : 'checked'] += 1;
      if (outcome.kind === 'failed') refusals.inc({ code: outcome.error.code });
      else checks.inc({ is_ai: String(outcome.entry.is_ai), fired: outcome.entry.fired.join('+') || 'none' });
    },
    countRequest({ route, method, status, code, seconds, durations: stages }) {
      requests.inc({ route, method, status: String(status), code });
      durations.observe({ route }, seconds);
      observeStages(stages);
    },
  };
}

/** Objects from which the responses are read. */
interface MonitoringDeps {
  readonly registry: Registry;
  /** Resolves with the body of /readyz if the worker is ready; otherwise rejects. */
  readonly readReadiness: () => Promise<object>;
}

/** A running monitoring server. */
export interface Monitoring {
  /** Port on which the server listens. */
  readonly port: number;
  close(): void;
}

/** Starts a monitoring server. Rejects with StartError `config_invalid` if the port is unavailable. */
export async function startMonitoring(
  { registry, readReadiness }: MonitoringDeps,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Monitoring> {
  const answers: Readonly<Record<string, (res: ServerResponse) => Promise<void>>> = {
    '/healthz': async (res) => sendJson(res, 200, await Promise.resolve({ status: 'ok' })),
    '/readyz': async (res) => {
      await readReadiness().then(
        (readiness) => {
          sendJson(res, 200, { status: 'ready', ...readiness });
        },
        (error: unknown) => {
          sendJson(res, 503, { error: { code: 'unavailable', message: (error as Error).message } });
        },
      );
    },
    '/metrics': async (res) => {
      const text = await registry.metrics();
      res.writeHead(200, { 'content-type': registry.contentType }).end(text);
    },
  };
  const server = createServer((req, res) => {
    const [path = ''] = (req.url ?? '').split('?');
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!answer)
      sendJson(res, 404, {
        error: { code: 'not_found', message: 'a worker serves /healthz, /readyz, /metrics' },
      });
    else if (req.method !== 'GET' && req.method !== 'HEAD')
      sendJson(res, 405, { error: { code: 'method_not_allowed', message: 'Expected GET' } });
    else answer(res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new StartError('config_invalid', `can't listen on port ${port}: ${cause.code ?? 'refused'}`, {
          cause,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
