// Assembles the HTTP application from its middleware and routes. Has the routes of plain texts.
import { readFileSync } from 'node:fs';
import Router from '@koa/router';
import Koa from 'koa';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { logRequests } from './middleware/access-log.js';
import { admitOne } from './checks/admission.js';
import { answerErrors, withHeaders, isVisit, sendNoPage } from './errors/answer-errors.js';
import { buildOpenApi } from './openapi/openapi.js';
import { authenticateAppeal } from './middleware/authenticate-appeal.js';
import { postMcp, refuseForeignPages } from './routes/mcp.js';
import { getHealth, getReadiness } from './routes/health.js';
import { API_ROUTES } from './routes.js';
import { addRoute } from './route.js';
import type { Services } from '../services.js';
import { presentKeys } from '../../record/keys/key-set.js';
import { PUBLISHED_SCHEMA } from '../../record/content/schema.js';
import type { Context, Next, RequestState } from './state.js';
import { errorFacts, isErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';

/** Creates the HTTP service as a Koa application. */
export function createApp(services: Services, console: Router<RequestState>): Koa<RequestState> {
  const app = new Koa<RequestState>();
  // Case-sensitive, because a proxy that hides /metrics compares paths exactly.
  const router = new Router<RequestState>({ sensitive: true });
  const { authenticate } = services;
  const openApi = buildOpenApi(services.version);
  const overview = readFileSync(new URL('../../../llms.txt', import.meta.url), 'utf8');

  const allowAppeal = authenticateAppeal(services);
  for (const route of API_ROUTES) {
    const scopes = route.scopes.filter((scope) => scope !== 'appeal-link');
    const isForLinks = scopes.length < route.scopes.length;
    addRoute(router, route, services, [isForLinks ? allowAppeal : authenticate(...scopes)]);
  }
  router.post(
    '/mcp',
    refuseForeignPages(services.publicUrl),
    authenticate('check'),
    admitOne(services),
    postMcp(services),
  );
  router.get('/healthz', getHealth);
  router.get('/readyz', getReadiness(services));
  router.get('/metrics', async (ctx) => {
    ctx.type = services.metrics.registry.contentType;
    ctx.body = await services.readMetrics();
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
  if (services.securityContacts.length > 0)
    router.get('/.well-known/security.txt', getSecurityTxt(services.securityContacts, services.publicUrl));
  router.get('/.well-known/telltale-keys.json', async (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = presentKeys(await services.recorder.keys.publicKeys());
  });

  app.use(logRequests(services));
  app.use((ctx, next) => {
    // Proxies and caches must not store an account's verdicts and usage.
    if (ctx.path.startsWith('/v1/') || ctx.path === '/mcp') ctx.set('Cache-Control', 'no-store');
    return next();
  });
  app.use(answerErrors);
  app.use(router.routes());
  app.use(console.routes());
  app.use(refuseUnrouted([router, console]));
  return app;
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

/** Handles GET /problems/CODE, the `type` in RFC 9457 errors: explains it. Throws CheckError not_found. */
function getProblem(ctx: Context): void {
  const { code } = (ctx as unknown as { params: { code: string } }).params;
  if (!isErrorCode(code)) throw new CheckError('not_found', 'there is no error with this code');
  const { status, meaning } = errorFacts(code);
  ctx.type = 'text/plain';
  ctx.body = `${code} (${status}): ${meaning}\n`;
}

/** Days until security.txt expires. RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;

/**
 * Handles GET /.well-known/security.txt (RFC 9116): lists contacts for vulnerabilities. The text expires half
 * a year after the day of the request.
 */
function getSecurityTxt(contacts: readonly string[], publicUrl: string | null): (ctx: Context) => void {
  return (ctx) => {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const expires = new Date(today + VALID_DAYS * DAY_MS).toISOString().replace('.000', '');
    const lines = [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires}`,
      ...(publicUrl === null ? [] : [`Canonical: ${publicUrl}${ctx.path}`]),
    ];
    ctx.type = 'text/plain';
    ctx.body = `${lines.join('\n')}\n`;
  };
}
