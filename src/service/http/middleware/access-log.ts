// The outermost middleware: request id, timing headers, the span of its trace, and one log line a request.
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.js';
import { NO_SPAN, type Traces } from '../../traces/span.js';
import { Stages } from './stages.js';
import type { Context, Next } from '../state.js';
import { ulid } from 'ulid';

/** What monitoring asks for all the time: nobody looks for it among traces. */
const UNTRACED = ['/healthz', '/readyz', '/metrics'];

/** What requests are told to. */
interface LogDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly isStopping: () => boolean;
}

/**
 * Middleware: sets up `ctx.state`, and when the response is out writes a line and counts it. The line holds no body, no
 * key, and of the address the path alone: a query may hold anything.
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
      : traces.begin(ctx.method, { kind: 'server', headers: ctx.headers, facts });
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
      // A body that was announced and not asked for may come or not: what follows on the connection is anybody's guess.
      const isUnasked = ctx.get('expect') !== '' && !ctx.req.readableDidRead;
      if (isStopping() || isUnasked) ctx.set('Connection', 'close');
    }
  };
}

function finish(ctx: Context, metrics: Metrics, { elapsedMs, durations, span }: Stages): void {
  const { caller, errorCode, log, isSandbox = false } = ctx.state;
  const route = typeof ctx._matchedRoute === 'string' ? ctx._matchedRoute : 'other';
  // A response that was cut off has no status of ours.
  const status = ctx.res.writableFinished ? ctx.status : 499;
  const code = errorCode ?? (status === 499 ? 'caller_gone' : 'ok');
  if (route !== 'other') {
    span.rename(`${ctx.method} ${route}`);
    span.note({ 'http.route': route });
  }
  span.note({
    'http.response.status_code': status,
    ...(caller && { 'telltale.account': caller.accountId, 'telltale.plan': caller.plan.name }),
  });
  if (code !== 'ok') span.fail(code, status >= 500 && !isSandbox);
  span.end();
  // What a sandbox key is answered says nothing of the service, and must wake nobody.
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

/** The caller's `X-Request-Id` if it is 1 to 128 plain characters, else a new one. */
export function chooseRequestId(received: string): string {
  return SANE.test(received) ? received : `req_${ulid()}`;
}
