// Lets a request in before its body is read, so that memory is bounded by places and not by arrivals.
import { CheckError } from '../errors.js';
import { Gate } from './gate.js';
import type { Context, Next } from './state.js';
import { whenGone } from './caller-gone.js';

/** The gate of a process: `places` requests hold a body, `queueLimit` wait unread, the rest is refused at once. */
export function createAdmissionGate(places: number, queueLimit: number): Gate {
  const refuse = (): CheckError =>
    new CheckError(
      'overloaded',
      'the service is busy or stopping and took no part of the request; try again shortly',
    );
  return new Gate({ places, queueLimit, refuse });
}

/** Middleware: holds a place of `gate` while the rest runs. Waits at most `waitMs`. Errors: overloaded. */
export function admit(gate: Gate, waitMs: number): (ctx: Context, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new CheckError('overloaded', 'the service is busy; try again shortly')),
      waitMs,
    );
    const signal = AbortSignal.any([whenGone(ctx), timeout.signal]);
    const release = await ctx.state.stages
      .time('queue', () => gate.enter(signal))
      .finally(() => clearTimeout(timer));
    try {
      await next();
    } finally {
      release();
    }
  };
}
