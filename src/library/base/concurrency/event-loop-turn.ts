// Splitting long work on the event loop into short turns.
import { setImmediate } from 'node:timers/promises';

/** Maximum milliseconds of a turn. Chosen: a quarter of the time for which one request may delay others. */
const TURN_MS = 5;

/** Limits work to turns of 5 ms: `yieldIfOver` yields to the event loop after each. */
export class EventLoopTurn {
  #startMs = performance.now();

  /** Resolves at once within a turn, and after all due events if the turn is over. */
  async yieldIfOver(): Promise<void> {
    if (performance.now() - this.#startMs < TURN_MS) return;
    await setImmediate();
    this.#startMs = performance.now();
  }
}
