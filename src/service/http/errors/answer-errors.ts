// Turns whatever a route throws into the error response; logs the service's own faults alone.
import { errorFacts } from '../../../base/error-codes.js';
import type { CheckError } from '../../../base/errors.js';
import { asCheckError, presentError } from './error-body.js';
import type { Context, Next } from '../state.js';

/** An error that brings response headers along, such as Retry-After or Allow. */
export interface HeaderedError {
  readonly headers: Readonly<Record<string, string>>;
}

/** The same error, with headers for its response. */
export function withHeaders(
  error: CheckError,
  headers: Readonly<Record<string, string>>,
): CheckError & HeaderedError {
  return Object.assign(error, { headers });
}

/** The caller went away: there is nobody to answer, and nothing to charge. */
export class ClientDisconnect extends Error {
  override readonly name = 'ClientDisconnect';
}

/** Middleware: answers errors in the one shape. */
export async function answerErrors(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (thrown) {
    if (thrown instanceof ClientDisconnect) {
      ctx.state.errorCode = 'caller_gone';
      // Koa writes it into a closed connection; the log shows nginx's number for this case.
      ctx.status = 499;
      return;
    }
    const error = asCheckError(thrown);
    ctx.state.errorCode = error.code;
    if (error.status >= 500)
      ctx.state.log.error({ err: error.cause ?? error, code: error.code }, 'request failed');
    ctx.status = error.status;
    ctx.body = presentError(error, ctx.state.requestId);
    const retryAfter = errorFacts(error.code).retryAfterS;
    if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
    if ('headers' in error) ctx.set({ ...(error as HeaderedError).headers });
  }
}
