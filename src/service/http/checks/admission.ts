// Lets a request in before its body is read, so that memory is bounded by places and not by arrivals.
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { Semaphore } from 'telltale-engine/internal/base/concurrency/semaphore.js';
import { disconnectSignal } from '../errors/answer-errors.js';
import type { Context, Next } from '../state.js';

/**
 * Chosen: requests are held for as long as their senders like, 10 s and more. So an account that holds all it may must
 * leave another one as much.
 */
const KEPT_FOR_OTHERS = 0.5;

/** The semaphore of a process: so many requests hold a body, so many of an account wait unread, the rest is refused at once. */
export function createAdmission(permits: number, queueLimit: number): Semaphore {
  const message = 'the service is busy or stopping and took no part of the request; try again shortly';
  return new Semaphore({
    permits,
    queueLimit,
    keptForOthers: KEPT_FOR_OTHERS,
    refuse: () => new CheckError('overloaded', message),
  });
}

/** Longest time to take an answer: 20 MB at 2.7 Mbit/s. */
const TAKE_MS = 60_000;

/**
 * Middleware, after the caller is known: holds a place of `semaphore` until the answer is out, because it is in memory
 * until then. Waits at most `waitMs`. Errors: overloaded.
 */
export function admit(semaphore: Semaphore, waitMs: number): (ctx: Context, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new CheckError('overloaded', 'the service is busy; try again shortly')),
      waitMs,
    );
    const signal = AbortSignal.any([disconnectSignal(ctx), timeout.signal]);
    const release = await ctx.state.stages
      .time('queue', () =>
        semaphore.enter(signal, ctx.state.caller?.accountId ?? ctx.state.appealLink?.accountId),
      )
      .finally(() => clearTimeout(timer));
    const { res } = ctx;
    let limit: NodeJS.Timeout | undefined;
    res.once('close', () => {
      clearTimeout(limit);
      release();
    });
    if (res.destroyed) release();
    try {
      await next();
    } finally {
      limit = setTimeout(() => res.destroy(), TAKE_MS).unref();
    }
  };
}
