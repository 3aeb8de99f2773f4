// Places for tries: a few for each account, so that the addresses of one that hang leave places to the others.
import { performance } from 'node:perf_hooks';

/** What a try is taken to last before one of the account has ended. */
const GUESSED_TRY_MS = 100;
/** Longest that a delivery is put off: an address that hung may have come back. */
const LONGEST_WAIT_MS = 60_000;

interface Share {
  running: number;
  /** How long the last try took. */
  tryMs: number;
  /** When the last of those that were put off comes again; milliseconds since 1970. */
  lastTurnAt: number;
}

/** Counts what each account has under way in this process. */
export class AccountPlaces {
  readonly #each: number;
  readonly #shares = new Map<string, Share>();

  /** `each` is how many tries an account may have at once. */
  constructor(each: number) {
    this.#each = each;
  }

  /** Runs a try in a place of the account; gives null, and runs nothing, if all of them are taken. */
  async run<T>(accountId: string, attempt: () => Promise<T>): Promise<T | null> {
    const share = this.#shares.get(accountId) ?? { running: 0, tryMs: GUESSED_TRY_MS, lastTurnAt: 0 };
    if (share.running === this.#each) return null;
    this.#shares.set(accountId, share);
    share.running += 1;
    const startedAt = performance.now();
    try {
      return await attempt();
    } finally {
      share.running -= 1;
      share.tryMs = performance.now() - startedAt;
      if (share.running === 0 && share.lastTurnAt <= Date.now()) this.#shares.delete(accountId);
    }
  }

  /**
   * When an attempt that found no place is to come again, in milliseconds since 1970. They come one after the other, as
   * fast as places fall free. So a hundred neither come back all at once nor wait for no reason.
   */
  nextTurn(accountId: string): number {
    const now = Date.now();
    const share = this.#shares.get(accountId);
    if (!share) return now;
    const wantedAt = Math.max(now, share.lastTurnAt) + share.tryMs / this.#each;
    share.lastTurnAt = Math.min(wantedAt, now + LONGEST_WAIT_MS);
    return Math.round(share.lastTurnAt);
  }
}
