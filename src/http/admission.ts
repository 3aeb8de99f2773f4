// Lets a request in before its body is read, so that memory is bounded by places and not by arrivals.
import { CheckError } from '../errors.js';
import { whenGone } from './caller-gone.js';
import { Gate, type Release } from './gate.js';
import type { Context, Next } from './state.js';

/** Of the places, those that the bodies of one account never take: whoever sends slowly holds up itself, and nobody else. */
const KEPT_FOR_OTHERS = 0.25;

function refuse(): CheckError {
  return new CheckError(
    'overloaded',
    'the service is busy or stopping and took no part of the request; try again shortly',
  );
}

/**
 * The gate of a process: so many requests hold a body, so many of an account wait unread, the rest is refused at once. A
 * queue for each account, as whoever sends slowly would else fill everybody's.
 */
export class AdmissionGate extends Gate {
  readonly #senders = new Map<string, Gate>();
  readonly #bodiesEach: number;
  readonly #queueLimit: number;

  constructor(places: number, queueLimit: number) {
    super({ places, queueLimit, refuse });
    this.#bodiesEach = places - Math.ceil(places * KEPT_FOR_OTHERS);
    this.#queueLimit = queueLimit;
  }

  /** Requests that wait: for a place, or for another body of their account. */
  override get waiting(): number {
    return [...this.#senders.values()].reduce((sum, sender) => sum + sender.waiting, super.waiting);
  }

  override close(): void {
    super.close();
    for (const sender of this.#senders.values()) sender.close();
  }

  /** Waits until this account has room for another body that is still to come; to be given back when it is there. */
  async enterSender(accountId: string, signal: AbortSignal): Promise<Release> {
    const sender =
      this.#senders.get(accountId) ??
      new Gate({ places: this.#bodiesEach, queueLimit: this.#queueLimit, refuse });
    this.#senders.set(accountId, sender);
    const forget = (): void => {
      if (sender.taken === 0 && sender.waiting === 0) this.#senders.delete(accountId);
    };
    try {
      const release = await sender.enter(signal);
      return () => {
        release();
        forget();
      };
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** Middleware, after the caller is known: holds a place of `gate` while the rest runs. Waits at most `waitMs`. Errors: overloaded. */
export function admit(gate: AdmissionGate, waitMs: number): (ctx: Context, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new CheckError('overloaded', 'the service is busy; try again shortly')),
      waitMs,
    );
    const signal = AbortSignal.any([whenGone(ctx), timeout.signal]);
    const release = await ctx.state.stages
      .time('queue', () => enter(ctx, gate, signal))
      .finally(() => clearTimeout(timer));
    try {
      await next();
    } finally {
      release();
    }
  };
}

async function enter(ctx: Context, gate: AdmissionGate, signal: AbortSignal): Promise<Release> {
  const { caller } = ctx.state;
  // Where nobody pays, no body comes.
  const bodyIsThere = caller ? await gate.enterSender(caller.accountId, signal) : () => undefined;
  ctx.req.once('end', bodyIsThere);
  const leave = await gate.enter(signal).catch((error: unknown) => {
    bodyIsThere();
    throw error;
  });
  return () => {
    bodyIsThere();
    leave();
  };
}
