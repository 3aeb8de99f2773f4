// A progress bar on standard error, for people only: in a pipe nothing is written.
import type { TerminalStream } from './terminal.js';

/** Fewer steps than this need no bar. Chosen: they are done in about a second. */
const MIN_STEPS = 8;

/** Milliseconds between two drawings. Chosen: the eye sees no more. */
const REDRAW_MS = 100;

/** One bar for a known number of steps. */
export class ProgressBar {
  readonly #stream: TerminalStream;
  readonly #total: number;
  readonly #isShown: boolean;
  #done = 0;
  #drawnMs = 0;
  #isDrawn = false;

  constructor(stream: TerminalStream, total: number) {
    this.#stream = stream;
    this.#total = total;
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
    const width = Math.max(10, Math.min(40, this.#stream.columns - 30));
    const full = Math.round(share * width);
    const bar = '█'.repeat(full) + '░'.repeat(width - full);
    await this.#stream.write(`\r${bar} ${this.#done}/${this.#total} ${Math.floor(share * 100)}%\u001b[K`);
  }

  /** Wipes the bar away, before anything else is written and at the end. */
  async clear(): Promise<void> {
    if (this.#isDrawn) await this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}
