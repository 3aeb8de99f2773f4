// Admits requests before their bodies are read, so that only a limited number of bodies is in memory.
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { Semaphore } from 'telltale-engine/internal/base/concurrency.js';
import { disconnectSignal } from '../errors/answer-errors.js';
import type { Services } from '../../services.js';
import type { Middleware } from '../route.js';

/** Share of permits that an account must leave to others, because a slow sender may hold one for 10 s. */
const SHARE_FOR_OTHER_ACCOUNTS = 0.5;

/**
 * Creates the semaphore that limits the requests of a process. At most `permits` requests have a body in
 * memory. A limited number of requests per account waits; further requests are refused immediately.
 * `keptForOthers` is the share of permits that an account, or an appeal link, must leave to others.
 */
export function createAdmission(
  permits: number,
  queueLimit: number,
  keptForOthers: number = SHARE_FOR_OTHER_ACCOUNTS,
): Semaphore {
  const message = 'the service is busy or stopping and processed no part of the request; try again shortly';
  return new Semaphore({
    permits,
    queueLimit,
    keptForOthers,
    refuse: () => new CheckError('overloaded', message),
  });
}

/** Maximum time for sending a response. Enough for 20 MB at 2.7 Mbit/s. */
const MAX_SEND_MS = 60_000;

/**
 * Creates middleware that holds a permit of `semaphore` until the response is sent, because the response is
 * in memory until then. Waits at most `waitMs` for a permit. Throws CheckError overloaded.
 */
export function admit(semaphore: Semaphore, waitMs: number): Middleware {
  return async (ctx, next) => {
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new CheckError('overloaded', 'The service is busy. Try again shortly')),
      waitMs,
    );
    const signal = AbortSignal.any([disconnectSignal(ctx), timeout.signal]);
    const release = await ctx.state.stages
      .time('queue', () => semaphore.enter(signal, ctx.state.appealLink?.id ?? ctx.state.caller?.accountId))
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
      limit = setTimeout(() => res.destroy(), MAX_SEND_MS).unref();
    }
  };
}

/** Creates middleware that admits requests with images. */
export function admitOne({ semaphore, deadlineMs }: Services): Middleware {
  return admit(semaphore, deadlineMs);
}

/** Creates middleware that admits requests with lists of a scan. */
export function admitList({ listSemaphore, deadlineMs }: Services): Middleware {
  return admit(listSemaphore, deadlineMs);
}

/** Creates middleware that admits requests for stored images. */
export function admitKept({ keptSemaphore, deadlineMs }: Services): Middleware {
  return admit(keptSemaphore, deadlineMs);
}
