// Assembles the HTTP application from its middleware and routes.
import { readFileSync } from 'node:fs';
import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { TrustDescription } from 'telltale-engine/internal/check/credentials/trust.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { logRequests } from './middleware/access-log.js';
import type { Semaphore } from 'telltale-engine/internal/base/concurrency/semaphore.js';
import { admit } from './checks/admission.js';
import { answerErrors, withHeaders } from './errors/answer-errors.js';
import { isVisit, sendNoPage } from './errors/no-page.js';
import type { Authenticate } from './middleware/authenticate.js';
import type { Metrics } from './metrics/metrics.js';
import type { Traces } from '../traces/span.js';
import { buildOpenApi } from './openapi/openapi.js';
import { authenticateAppeal, countAppeal, getAppeals, postAppeal, postAppealLink } from './routes/appeals.js';
import { postBatch, requireBatchPlan, postCheck } from './routes/check.js';
import { deletePastCheck, getPastCheck, getPastChecks, postFeedback } from './routes/checks.js';
import { postMcp, refuseForeignPages } from './routes/mcp.js';
import { getHealth, getReadiness } from './routes/health.js';
import {
  deleteScan,
  getScan,
  getScanResults,
  getScans,
  postScan,
  refuseScans,
  requireScanPlan,
  type ScanRouteDeps,
} from './routes/scans.js';
import { getProblem, getSecurityTxt } from './routes/texts.js';
import { getUsage } from './routes/usage.js';
import { presentKeys } from '../../record/keys/key-set.js';
import { PUBLISHED_SCHEMA } from '../../record/content/schema.js';
import type { RunDeps } from './checks/run-checks.js';
import type { Context, Next, RequestState } from './state.js';

export interface AppDeps extends RunDeps {
  readonly log: Logger;
  readonly authenticate: Authenticate;
  readonly semaphore: Semaphore;
  /** Dependencies of scans, or null if they are not configured. */
  readonly scans: ScanRouteDeps | null;
  /** Semaphore that limits how many scan lists are received concurrently. */
  readonly listSemaphore: Semaphore;
  /** Number of reverse proxies in front of the service. */
  readonly proxies: number;
  readonly isStopping: () => boolean;
  /** Returns the active C2PA trust lists. */
  readonly readTrust: () => Promise<TrustDescription>;
  /** Rejects if the process that reads Content Credentials can't be started. */
  readonly startReader: () => Promise<void>;
  /** Returns the metrics of all processes of this machine. */
  readonly readMetrics: () => Promise<string>;
  readonly metrics: Metrics;
  readonly traces: Traces;
  /** Public address of the service, or null if none is configured. */
  readonly publicUrl: string | null;
  /** Routes of the console. */
  readonly console: Router<RequestState>;
  /** Contacts for vulnerabilities in security.txt; empty for no security.txt. */
  readonly securityContacts: readonly string[];
  /** Version of the package. */
  readonly version: string;
}

/** Creates the HTTP service as a Koa application. */
export function createApp(deps: AppDeps): Koa<RequestState> {
  const app = new Koa<RequestState>();
  // Case-sensitive, because a proxy that hides /metrics compares paths exactly.
  const router = new Router<RequestState>({ sensitive: true });
  const { authenticate, database } = deps;
  const admitOne = admit(deps.semaphore, deps.deadlineMs);
  const openApi = buildOpenApi(deps.version);
  const overview = readFileSync(new URL('../../../llms.txt', import.meta.url), 'utf8');

  router.post('/v1/check', authenticate('check', 'sandbox'), admitOne, postCheck(deps));
  router.post(
    '/v1/check/batch',
    authenticate('check', 'sandbox'),
    requireBatchPlan,
    admitOne,
    postBatch(deps),
  );
  router.get('/v1/checks', authenticate('check'), getPastChecks(database));
  router.get('/v1/checks/:id', authenticate('check'), getPastCheck(database));
  router.delete('/v1/checks/:id', authenticate('check'), deletePastCheck(deps));
  router.post('/v1/checks/:id/feedback', authenticate('check'), postFeedback(database));
  addAppealRoutes(router, deps);
  addScanRoutes(router, deps);
  router.post('/mcp', refuseForeignPages(deps.publicUrl), authenticate('check'), admitOne, postMcp(deps));
  router.get('/v1/usage', authenticate('usage'), getUsage(database));
  router.get('/healthz', getHealth);
  router.get('/readyz', getReadiness(deps));
  router.get('/metrics', async (ctx) => {
    ctx.type = deps.metrics.registry.contentType;
    ctx.body = await deps.readMetrics();
  });
  router.get('/openapi.json', (ctx) => {
    ctx.body = openApi;
  });
  router.get('/llms.txt', (ctx) => {
    ctx.body = overview;
  });
  router.get('/schemas/record.json', (ctx) => {
    ctx.body = PUBLISHED_SCHEMA;
  });
  router.get('/problems/:code', getProblem);
  if (deps.securityContacts.length > 0)
    router.get('/.well-known/security.txt', getSecurityTxt(deps.securityContacts, deps.publicUrl));
  router.get('/.well-known/telltale-keys.json', async (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = presentKeys(await deps.recorder.keys.publicKeys());
  });

  app.use(logRequests(deps));
  app.use((ctx, next) => {
    // Proxies and caches must not store an account's verdicts and usage.
    if (ctx.path.startsWith('/v1/') || ctx.path === '/mcp') ctx.set('Cache-Control', 'no-store');
    return next();
  });
  app.use(answerErrors);
  app.use(router.routes());
  app.use(deps.console.routes());
  app.use(refuseUnrouted([router, deps.console]));
  return app;
}

function addAppealRoutes(router: Router<RequestState>, deps: AppDeps): void {
  const { authenticate, database } = deps;
  const allow = authenticateAppeal(database, authenticate);
  const admitOne = admit(deps.semaphore, deps.deadlineMs);
  const path = '/v1/checks/:id/appeals';
  router.post(path, allow, countAppeal(database), admitOne, postAppeal(deps));
  router.get(path, allow, getAppeals(database));
  router.post('/v1/checks/:id/appeal-links', authenticate('check'), postAppealLink(database, deps.publicUrl));
}

function addScanRoutes(router: Router<RequestState>, deps: AppDeps): void {
  const { scans } = deps;
  const allow = deps.authenticate('scan');
  if (scans === null) {
    router.all(['/v1/scans', '/v1/scans/:id', '/v1/scans/:id/results'], allow, refuseScans);
    return;
  }
  router.post(
    '/v1/scans',
    allow,
    requireScanPlan,
    admit(deps.listSemaphore, deps.deadlineMs),
    postScan(scans),
  );
  router.get('/v1/scans', allow, getScans(scans));
  router.get('/v1/scans/:id', allow, getScan(scans));
  router.delete('/v1/scans/:id', allow, deleteScan(scans));
  router.get('/v1/scans/:id/results', allow, getScanResults(scans));
}

/** Creates middleware that refuses requests without a route: 405 for a known path, otherwise 404. */
function refuseUnrouted(routers: readonly Router<RequestState>[]): (ctx: Context, next: Next) => void {
  return (ctx) => {
    const layers = routers.flatMap(({ stack }) => stack).filter((layer) => layer.match(ctx.path));
    const methods = layers.flatMap((layer) => layer.methods);
    if (methods.length === 0) {
      ctx.vary('Accept');
      if (isVisit(ctx)) {
        sendNoPage(ctx);
        return;
      }
      throw new CheckError('not_found', `There is no path ${visible(ctx.path)}. /docs lists the paths`);
    }
    const allow = [...new Set(methods)].join(', ');
    throw withHeaders(new CheckError('method_not_allowed', `Expected ${allow} but received ${ctx.method}`), {
      Allow: allow,
    });
  };
}

function visible(path: string): string {
  return path.replace(/[^\x21-\x7e]/g, '?').slice(0, 100);
}
