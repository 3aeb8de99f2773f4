// Long work on the event loop in pieces, so that everybody else is served in between.
import { setImmediate } from 'node:timers/promises';

/** Chosen: a quarter of what anybody may be kept waiting by one request. */
const TURN_MS = 5;

/** One piece of work after the other: `yieldIfOver` gives way once a turn of 5 ms is over. */
export class EventLoopTurn {
  #startMs = performance.now();

  /** Resolves at once within a turn, and after everything else that is due if the turn is over. */
  async yieldIfOver(): Promise<void> {
    if (performance.now() - this.#startMs < TURN_MS) return;
    await setImmediate();
    this.#startMs = performance.now();
  }
}
