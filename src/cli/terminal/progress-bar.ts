// A progress bar on standard error, for people only: in a pipe nothing is written.
import type { TerminalStream } from './terminal.js';

/** Fewer steps than this need no bar. Chosen: they are done in about a second. */
const MIN_STEPS = 8;

/** Milliseconds between two drawings. Chosen: the eye sees no more. */
const REDRAW_MS = 100;

/** One bar for a known number of steps, with their rate and the time left. */
export class ProgressBar {
  readonly #stream: TerminalStream;
  readonly #total: number;
  readonly #isShown: boolean;
  readonly #startMs = Date.now();
  /** Steps that were done before this program began. */
  readonly #doneBefore: number;
  #done: number;
  #drawnMs = 0;
  #isDrawn = false;

  constructor(stream: TerminalStream, total: number, doneBefore = 0) {
    this.#stream = stream;
    this.#total = total;
    this.#doneBefore = this.#done = doneBefore;
    this.#isShown = stream.isTerminal && total >= MIN_STEPS;
  }

  /** Counts one step. */
  async step(): Promise<void> {
    this.#done += 1;
    const nowMs = Date.now();
    if (!this.#isShown || nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#isDrawn = true;
    const share = this.#done / this.#total;
    const width = Math.max(10, Math.min(40, this.#stream.columns - 50));
    const full = Math.round(share * width);
    const bar = '█'.repeat(full) + '░'.repeat(width - full);
    const perSecond = (1000 * (this.#done - this.#doneBefore)) / Math.max(1, nowMs - this.#startMs);
    const left = describeSeconds((this.#total - this.#done) / perSecond);
    await this.#stream.write(
      `\r${bar} ${this.#done}/${this.#total} ${Math.floor(share * 100)}% ${perSecond.toFixed(1)}/s ${left} left\u001b[K`,
    );
  }

  /** Wipes the bar away, before anything else is written and at the end. */
  async clear(): Promise<void> {
    if (this.#isDrawn) await this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}

function describeSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
