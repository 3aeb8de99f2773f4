// Interrupting long work regularly, so that the event loop serves other requests in between.
import { setImmediate } from 'node:timers/promises';

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
