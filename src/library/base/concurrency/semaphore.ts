// A bound on how much happens at once: some run, some wait in turns, the rest is refused.
import { listenForAbort } from './abort-listener.js';

/** Gives a permit back; a second call does nothing. */
type Release = () => void;

/** How much a semaphore lets in. */
interface SemaphoreOptions {
  readonly permits: number;
  /**
   * The part of these, 0 to 1, that one account never takes; default: none. An account may hold one at least. However many
   * it sends, and however long each of them stays, the others find a permit, or wait for the next that comes free.
   */
  readonly keptForOthers?: number;
  /** How many of each account wait. */
  readonly queueLimit: number;
  /** Makes the error of one that finds the queue full, or the semaphore closed. */
  readonly refuse: () => Error;
}

/** What one account leaves to the others, unless there is a reason for another part. */
export const QUARTER_FOR_OTHERS = 0.25;

/** What one account has at a semaphore. */
interface Account {
  held: number;
  /** Called in order: each hands its own permit over, except where the semaphore closed. */
  readonly waiting: Set<() => void>;
}

/**
 * Counting semaphore with a bounded queue for each account. A permit that comes free goes to the account that waits and
 * holds the fewest. Of equals it goes to the one that gave none back for longest. Within an account it is first come
 * first served.
 */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  /** Permits that one account holds at most. */
  readonly #share: number;
  /** Those that hold or wait; who has just given a permit back is last. Undefined: those of nobody, together. */
  readonly #accounts = new Map<string | undefined, Account>();
  #inUse = 0;
  #closed = false;

  constructor(options: SemaphoreOptions) {
    const { permits, keptForOthers = 0 } = options;
    this.#options = options;
    this.#share = Math.max(1, permits - Math.ceil(permits * keptForOthers));
  }

  /** Permits in use. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Requests that wait for a permit. */
  get waiting(): number {
    return [...this.#accounts.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  /**
   * Acquires a permit, waiting for one where need be. Where it is nobody's, no share bounds it. Rejects with the refusal, or
   * with the signal's reason.
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

  /** Lets nobody in any more; those inside stay, those that wait are refused. */
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
