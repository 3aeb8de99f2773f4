// Error responses: `{ "error": { "code", "message", "param"?, "request_id" } }` for a request and for an
// entry of a batch, or the form of RFC 9457 if the request accepts it. Only errors of the service are logged.
import { errorFacts } from 'telltale-engine/internal/base/error-codes.js';
import { RequestFault, CheckError } from 'telltale-engine/internal/base/errors.js';
import { buildDocument, html, policyOf } from '../../../html/html.js';
import type { ErrorBody, Problem } from '../openapi/schemas.js';
import type { Context, Next, RequestState } from '../state.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';

/** An error with response headers, such as Retry-After or Allow. */
interface HeaderedError {
  readonly headers: Readonly<Record<string, string>>;
}

/** Adds response headers to an error and returns the error. */
export function withHeaders(
  error: CheckError,
  headers: Readonly<Record<string, string>>,
): CheckError & HeaderedError {
  return Object.assign(error, { headers });
}

/** Error after the caller has disconnected. Nobody receives a response, and nothing is charged. */
export class ClientDisconnect extends Error {
  override readonly name = 'ClientDisconnect';
}

/** Middleware that converts errors to responses. */
export async function answerErrors(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (thrown) {
    if (thrown instanceof ClientDisconnect) {
      ctx.state.errorCode = 'caller_gone';
      // Koa writes into the closed connection. 499 is nginx's status for this case, for the log.
      ctx.status = 499;
      return;
    }
    const error = asCheckError(thrown);
    ctx.state.errorCode = error.code;
    if (isFault(error) && !ctx.state.isSandbox)
      ctx.state.log.error({ err: error.cause ?? error, code: error.code }, 'request failed');
    ctx.status = error.status;
    const body = presentError(error, ctx.state);
    ctx.vary('Accept');
    // The first type is used if the caller accepts both types equally.
    const isProblem = ctx.accepts('application/json', PROBLEM_TYPE) === PROBLEM_TYPE;
    ctx.body = isProblem ? presentProblem(body, ctx.path) : body;
    if (isProblem) ctx.type = PROBLEM_TYPE;
    const retryAfter = errorFacts(error.code).retryAfterS;
    if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
    if ('headers' in error) ctx.set({ ...(error as HeaderedError).headers });
  }
}

/** Returns whether an error needs the operator's attention. The code not_configured does not. */
export function isFault({ status, code }: CheckError): boolean {
  return status >= 500 && code !== 'not_configured';
}

/** Refusal of an image, with a signed record of the refusal. */
export class RecordedRefusal extends CheckError {
  constructor(
    refusal: CheckError,
    readonly record: object,
  ) {
    super(refusal.code, refusal.message, { cause: refusal, param: refusal.param });
  }
}

const INTERNAL_MESSAGE = 'the service failed on this request; its X-Request-Id identifies it in the log';

/**
 * Returns a CheckError unchanged, the code of an RequestFault, and `internal_error` for other errors, to hide
 * them from callers.
 */
export function asCheckError(error: unknown): CheckError {
  if (error instanceof CheckError) return error;
  if (error instanceof RequestFault) return new CheckError(error.code, error.message, error);
  return new CheckError('internal_error', INTERNAL_MESSAGE, { cause: error });
}

/** Media type of an error in the form of RFC 9457. */
const PROBLEM_TYPE = 'application/problem+json';

/** Returns an error in the form of RFC 9457. `type` is a path of this service that explains the code. */
function presentProblem({ error, ...otherMembers }: ErrorBody, path: string): Problem {
  const { code, message, request_id: requestId, ...rest } = error;
  const { status } = errorFacts(code);
  return {
    type: `/problems/${code}`,
    title: titleOf(code),
    status,
    detail: message,
    // Only the path, because a query may contain secrets.
    instance: `${path}#${requestId}`,
    code,
    ...rest,
    ...(requestId !== undefined && { request_id: requestId }),
    ...otherMembers,
  };
}

/** Returns the title for an error code, such as "Image too large". */
function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

/** Parts of a request's state that error responses need. */
type RequestFacts = Pick<RequestState, 'requestId' | 'isSandbox'>;

/** Returns the body of an error response. */
export function presentError(error: CheckError, { requestId, isSandbox }: RequestFacts): ErrorBody {
  return {
    error: {
      code: error.code,
      message: error.expose ? error.message : INTERNAL_MESSAGE,
      ...(error.param !== null && { param: error.param }),
      request_id: requestId,
    },
    ...(error instanceof RecordedRefusal && { record: error.record }),
    ...(isSandbox && { sandbox: true }),
  };
}

/** Result of checking one image: a check result or an error. */
export type Outcome =
  | { readonly kind: 'checked'; readonly entry: CheckResult }
  | { readonly kind: 'failed'; readonly error: CheckError };

/** Entry in the response to a batch. Entries are in the order of the images. */
type Entry = CheckResult | ErrorBody;

/** Returns the result of one image as an entry in the response to a batch. */
export function presentEntry(outcome: Outcome, request: RequestFacts): Entry {
  return outcome.kind === 'checked' ? outcome.entry : presentError(outcome.error, request);
}

const signals = new WeakMap<object, AbortSignal>();

/** Returns a signal that aborts with ClientDisconnect if the caller disconnects before the response ends. */
export function disconnectSignal(ctx: Context): AbortSignal {
  const existing = signals.get(ctx.res);
  if (existing) return existing;
  const controller = new AbortController();
  const abort = (): void => {
    if (!ctx.res.writableFinished) controller.abort(new ClientDisconnect('the caller closed the connection'));
  };
  ctx.res.once('close', abort);
  if (ctx.res.destroyed) abort();
  signals.set(ctx.res, controller.signal);
  return controller.signal;
}

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 18vh auto 0; padding: 0 1rem; }
  a { color: light-dark(#24459e, #86a6ff); }`;

const PAGE = buildDocument({
  title: 'No such page · Telltale',
  style: STYLE,
  body: html`<main>
    <h1>There is no such page</h1>
    <p>The address may be mistyped, or the page has moved.</p>
    <p><a href="/">Go to the console</a> or <a href="/docs">read about the API</a>.</p>
  </main>`,
});

/** Paths that only programs use. They always get errors as JSON. */
const FOR_PROGRAMS = /^\/(v1|console|schemas|\.well-known)(\/|$)/;

/** Returns whether a browser wants to show the path. Browsers prefer HTML; programs accept JSON. */
export function isVisit(ctx: Context): boolean {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  return isRead && !FOR_PROGRAMS.test(ctx.path) && ctx.accepts('json', 'html') === 'html';
}

/** Sends the page with status 404. The page repeats nothing from the request. */
export function sendNoPage(ctx: Context): void {
  ctx.state.errorCode = 'not_found';
  ctx.status = 404;
  ctx.set({
    'Content-Security-Policy': `${policyOf(STYLE)}; frame-ancestors 'none'`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  });
  ctx.type = 'html';
  ctx.body = PAGE;
}
