// Notices a caller that hung up, so that its work stops.
import { ClientDisconnect } from '../errors/answer-errors.js';
import type { Context } from '../state.js';

const signals = new WeakMap<object, AbortSignal>();

/** A signal that aborts with ClientDisconnect when the connection closes before the response is complete. */
export function disconnectSignal(ctx: Context): AbortSignal {
  const known = signals.get(ctx.res);
  if (known) return known;
  const controller = new AbortController();
  const abort = (): void => {
    if (!ctx.res.writableFinished) controller.abort(new ClientDisconnect('the caller closed the connection'));
  };
  ctx.res.once('close', abort);
  if (ctx.res.destroyed) abort();
  signals.set(ctx.res, controller.signal);
  return controller.signal;
}
