// Long work on the event loop in pieces, so that everybody else is served in between.
import { setImmediate } from 'node:timers/promises';

/** Chosen: a quarter of what anybody may be kept waiting by one request. */
const SLICE_MS = 5;

/** One piece of work after the other: `take` gives way once a turn of 5 ms is over. */
export class Breath {
  #sliceStartMs = performance.now();

  /** Resolves at once within a turn, and after everything else that is due if the turn is over. */
  async take(): Promise<void> {
    if (performance.now() - this.#sliceStartMs < SLICE_MS) return;
    await setImmediate();
    this.#sliceStartMs = performance.now();
  }
}
