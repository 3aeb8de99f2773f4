// Outermost middleware: adds an identifier, timing and a trace to each request, and logs one line for it.
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.js';
import { NO_SPAN, type Traces } from '../../traces/span.js';
import { Stages, type Context, type Next } from '../state.js';
import { ulid } from 'ulid';

/** Paths of monitoring. Requests to them get no trace. */
const UNTRACED = ['/healthz', '/readyz', '/metrics'];

interface LogDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly isStopping: () => boolean;
}

/**
 * Creates middleware that sets up `ctx.state` and, after the response, logs and counts the request. The log
 * line contains no body, no key, and only the path of the address, because a query may contain secrets.
 */
export function logRequests({
  log,
  metrics,
  traces,
  isStopping,
}: LogDeps): (ctx: Context, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const requestId = chooseRequestId(ctx.get('x-request-id'));
    const facts = { 'http.request.method': ctx.method, 'telltale.request_id': requestId };
    const span = UNTRACED.includes(ctx.path)
      ? NO_SPAN
      : traces.begin(ctx.method, 'SERVER', facts, ctx.headers);
    const stages = new Stages(span);
    const { traceId } = span;
    const names = { request_id: requestId, ...(traceId !== null && { trace_id: traceId }) };
    Object.assign(ctx.state, { requestId, stages, log: log.child(names) });
    ctx.set('X-Request-Id', requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.res.once('close', () => finish(ctx, metrics, stages));
    try {
      await next();
    } finally {
      ctx.set('Server-Timing', stages.toHeader());
      // The caller announced a body that the service did not request. It may still arrive, so the connection
      // can't be reused.
      const isBodyUnrequested = ctx.get('expect') !== '' && !ctx.req.readableDidRead;
      if (isStopping() || isBodyUnrequested) ctx.set('Connection', 'close');
    }
  };
}

function finish(ctx: Context, metrics: Metrics, { elapsedMs, durations, span }: Stages): void {
  const { caller, errorCode, log, isSandbox = false } = ctx.state;
  const route = typeof ctx._matchedRoute === 'string' ? ctx._matchedRoute : 'other';
  // A response that was cut off counts as 499.
  const status = ctx.res.writableFinished ? ctx.status : 499;
  const code = errorCode ?? (status === 499 ? 'caller_gone' : 'ok');
  if (route !== 'other') {
    span.rename(`${ctx.method} ${route}`);
    span.addFacts({ 'http.route': route });
  }
  span.addFacts({
    'http.response.status_code': status,
    ...(caller && { 'telltale.account': caller.accountId, 'telltale.plan': caller.plan.name }),
  });
  if (code !== 'ok') span.fail(code, { isFault: status >= 500 && !isSandbox });
  span.end();
  // Sandbox responses do not show how the service works and must not trigger alerts.
  if (!isSandbox)
    metrics.countRequest({ route, method: ctx.method, status, code, seconds: elapsedMs / 1000, durations });
  log.info(
    {
      method: ctx.method,
      path: ctx.path.slice(0, 200),
      status,
      code,
      ms: Math.round(elapsedMs * 10) / 10,
      ...(isSandbox && { sandbox: true }),
      ...(caller && {
        account: caller.accountId,
        key: caller.keyId,
        plan: caller.plan.name,
        ...(caller.memberId !== undefined && { member: caller.memberId }),
      }),
    },
    'request',
  );
}

const SANE = /^[A-Za-z0-9._:+/=-]{1,128}$/;

/** Returns the caller's `X-Request-Id` if it has 1 to 128 plain characters, otherwise a new identifier. */
export function chooseRequestId(received: string): string {
  return SANE.test(received) ? received : `req_${ulid()}`;
}
