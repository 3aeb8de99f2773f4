// Limits concurrent webhook deliveries per account, so that one account's slow addresses don't block others.
import { performance } from 'node:perf_hooks';

/** Milliseconds that a delivery is assumed to take before the account's first one has ended. */
const GUESSED_TRY_MS = 100;
/** Maximum milliseconds by which a delivery is postponed. After them, a slow address may have recovered. */
const MAX_WAIT_MS = 60_000;

interface Share {
  running: number;
  /** Milliseconds that the account's last delivery took. */
  tryMs: number;
  /** Time for which the last postponed delivery is planned, in milliseconds since 1970. */
  lastStartAt: number;
}

/** Counts the running deliveries of each account in this process, and postpones further deliveries. */
export class AccountPermits {
  readonly #each: number;
  readonly #shares = new Map<string, Share>();

  /** `maxRunning` is the maximum number of concurrent deliveries per account. */
  constructor(maxRunning: number) {
    this.#each = maxRunning;
  }

  /** Runs a delivery. Returns null without running it if the account has the maximum number of deliveries. */
  async run<T>(accountId: string, attempt: () => Promise<T>): Promise<T | null> {
    const share = this.#shares.get(accountId) ?? { running: 0, tryMs: GUESSED_TRY_MS, lastStartAt: 0 };
    if (share.running === this.#each) return null;
    this.#shares.set(accountId, share);
    share.running += 1;
    const startedAt = performance.now();
    try {
      return await attempt();
    } finally {
      share.running -= 1;
      share.tryMs = performance.now() - startedAt;
      if (share.running === 0 && share.lastStartAt <= Date.now()) this.#shares.delete(accountId);
    }
  }

  /**
   * Returns the time for a postponed delivery, in milliseconds since 1970. Plans postponed deliveries at the
   * rate at which running ones end.
   */
  nextStartMs(accountId: string): number {
    const now = Date.now();
    const share = this.#shares.get(accountId);
    if (!share) return now;
    const earliestAt = Math.max(now, share.lastStartAt) + share.tryMs / this.#each;
    share.lastStartAt = Math.min(earliestAt, now + MAX_WAIT_MS);
    return Math.round(share.lastStartAt);
  }
}
