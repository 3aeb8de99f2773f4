// Helpers for concurrent work: a semaphore that shares permits fairly among accounts, turns of the event loop, polling.
import { setMaxListeners } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Function that returns a permit. A second call does nothing. */
type Release = () => void;

interface SemaphoreOptions {
  readonly permits: number;
  /**
   * Share of the permits, 0..1, that no single account may take, so that other accounts find a free permit.
   * Default: an account may take all permits. Each account may hold at least one permit.
   */
  readonly keptForOthers?: number;
  /** Maximum number of waiting requests per account. */
  readonly queueLimit: number;
  /** Returns the error for a full queue or a closed semaphore. */
  readonly refuse: () => Error;
}

/** Usual share of the permits that is reserved for other accounts. */
export const QUARTER_FOR_OTHERS = 0.25;

/** Permits and waiting requests of one account. */
interface Account {
  held: number;
  /**
   * Functions that wake the waiting requests, oldest first: called with a permit, or when the semaphore
   * closes.
   */
  readonly waiting: Set<() => void>;
}

/**
 * Counting semaphore with a bounded queue per account. A free permit goes to the waiting account with the
 * fewest permits. Among equal accounts, the one that has not returned a permit for the longest time comes
 * first. Within an account, the oldest request comes first.
 */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  /** Maximum number of permits per account. */
  readonly #share: number;
  /**
   * Accounts with permits or waiting requests. The account that most recently returned a permit comes last.
   * The key undefined stands for all requests without an account.
   */
  readonly #accounts = new Map<string | undefined, Account>();
  #inUse = 0;
  #closed = false;

  constructor(options: SemaphoreOptions) {
    const { permits, keptForOthers = 0 } = options;
    this.#options = options;
    this.#share = Math.max(1, permits - Math.ceil(permits * keptForOthers));
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return [...this.#accounts.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  /**
   * Waits for a permit. An account may hold only its share of the permits; requests without an account have
   * no such limit. Rejects with the error of `refuse`, or with the signal's reason.
   */
  async enter(signal: AbortSignal, accountId?: string): Promise<Release> {
    signal.throwIfAborted();
    if (this.#closed) throw this.#options.refuse();
    const account = this.#accounts.get(accountId) ?? { held: 0, waiting: new Set() };
    const isFree = this.#inUse < this.#options.permits && this.#mayHold(accountId, account);
    if (!isFree && account.waiting.size >= this.#options.queueLimit) throw this.#options.refuse();
    this.#accounts.set(accountId, account);
    if (isFree) this.#grant(account);
    else await this.#wait(accountId, account, signal);
    return this.#once(accountId, account);
  }

  /** Refuses waiting and future requests. Running requests keep their permits. */
  close(): void {
    this.#closed = true;
    for (const { waiting } of [...this.#accounts.values()]) for (const wake of [...waiting]) wake();
  }

  #mayHold(accountId: string | undefined, { held }: Account): boolean {
    return accountId === undefined || held < this.#share;
  }

  #grant(account: Account): void {
    account.held += 1;
    this.#inUse += 1;
  }

  #wait(accountId: string | undefined, account: Account, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        account.waiting.delete(wake);
        stopListening();
        this.#forget(accountId, account);
      };
      const wake = (): void => {
        leave();
        if (this.#closed) reject(this.#options.refuse());
        else resolve();
      };
      const abort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      account.waiting.add(wake);
      const stopListening = listenForAbort(signal, abort);
    });
  }

  #forget(accountId: string | undefined, { held, waiting }: Account): void {
    if (held === 0 && waiting.size === 0) this.#accounts.delete(accountId);
  }

  #once(accountId: string | undefined, account: Account): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      account.held -= 1;
      this.#inUse -= 1;
      this.#accounts.delete(accountId);
      this.#accounts.set(accountId, account);
      this.#forget(accountId, account);
      this.#passOn();
    };
  }

  #passOn(): void {
    const next = [...this.#accounts]
      .filter(([accountId, account]) => account.waiting.size > 0 && this.#mayHold(accountId, account))
      .reduce<Account | null>(
        (best, [, account]) => (best && best.held <= account.held ? best : account),
        null,
      );
    if (!next) return;
    this.#grant(next);
    const [wake] = next.waiting;
    wake?.();
  }
}

/**
 * Calls `listener` once when `signal` aborts. Returns a function that stops listening, which the caller must
 * call. Allows any number of listeners, because Node reports more than ten as a leak.
 */
export function listenForAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Maximum milliseconds without a pause: a quarter of the 20 ms by which one request may delay others. */
const TURN_MS = 5;

/** Lets other events run after every 5 ms of long work, which calls `yieldIfOver` between its steps. */
export class EventLoopTurn {
  #startMs = performance.now();

  /** Resolves immediately in the first 5 ms. Later, it waits for all due events and starts another 5 ms. */
  async yieldIfOver(): Promise<void> {
    if (performance.now() - this.#startMs < TURN_MS) return;
    await setImmediate();
    this.#startMs = performance.now();
  }
}

/**
 * Repeats `attempt`, which must not reject. Pauses for `pauseMs` after each attempt that does not return true. Returns a
 * function that aborts the signal and waits until the running attempt ends.
 */
export function startPolling(
  pauseMs: number,
  attempt: (signal: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = (async () => {
    while (!signal.aborted) {
      const isMoreWaiting = (await attempt(signal)) === true;
      if (!isMoreWaiting) await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopping.abort(new Error('the process is stopping'));
    await loop;
  };
}
