// A gate of which nobody takes every place: what one account holds up, it holds up for itself.
import { Gate, type GateOptions, type Release } from './gate.js';

/** Of the places, those that one account never takes. */
const KEPT_FOR_OTHERS = 0.25;

/**
 * A gate with a queue for each account, of which three quarters of the places, at least one, are let on to the common
 * queue: however many an account sends, and however long each of them stays, the others find a place, or stand behind its
 * share alone.
 */
export class SharedGate extends Gate {
  readonly #accounts = new Map<string, Gate>();
  readonly #share: GateOptions;

  constructor(options: GateOptions) {
    super(options);
    const { places } = options;
    this.#share = { ...options, places: Math.max(1, places - Math.ceil(places * KEPT_FOR_OTHERS)) };
  }

  /** Requests that wait: for a place, or for another one of their account. */
  override get waiting(): number {
    return [...this.#accounts.values()].reduce((sum, account) => sum + account.waiting, super.waiting);
  }

  override close(): void {
    super.close();
    for (const account of this.#accounts.values()) account.close();
  }

  /** As `enter`, within the share of this account; undefined: it is nobody's. */
  async enterFor(accountId: string | undefined, signal: AbortSignal): Promise<Release> {
    if (accountId === undefined) return this.enter(signal);
    const account = this.#accounts.get(accountId) ?? new Gate(this.#share);
    this.#accounts.set(accountId, account);
    const forget = (): void => {
      if (account.taken === 0 && account.waiting === 0) this.#accounts.delete(accountId);
    };
    let leaveAccount: Release | null = null;
    try {
      leaveAccount = await account.enter(signal);
      const leave = await this.enter(signal);
      return () => {
        leave();
        leaveAccount?.();
        forget();
      };
    } catch (error) {
      leaveAccount?.();
      forget();
      throw error;
    }
  }
}
