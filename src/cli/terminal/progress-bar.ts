// Progress on standard error: a bar on a terminal, and occasional lines in a pipe for a log.
import type { TerminalStream } from './terminal.js';

/** Minimum number of steps for which progress is shown. Chosen: fewer take about a second. */
const MIN_STEPS = 8;

/** Milliseconds between two drawings. Chosen: the eye sees no more. */
const REDRAW_MS = 100;
/** Milliseconds between two lines of a log. */
const LINE_MS = 10_000;

/** Progress of a known number of steps, with their rate and the remaining time. */
export class ProgressBar {
  readonly #stream: TerminalStream;
  #total: number;
  readonly #now: () => number;
  readonly #startMs: number;
  /** Number of steps that were done before this program started. */
  readonly #doneBefore: number;
  #done: number;
  #drawnMs: number;
  #isDrawn = false;

  /** `now` returns milliseconds; tests replace it. */
  constructor(stream: TerminalStream, total: number, { doneBefore = 0, now = Date.now } = {}) {
    this.#stream = stream;
    this.#total = total;
    this.#doneBefore = this.#done = doneBefore;
    this.#now = now;
    this.#startMs = now();
    // The bar appears at once; the first log line after its interval.
    this.#drawnMs = stream.isTerminal ? 0 : this.#startMs;
  }

  /** Counts a step. `isExtra` adds the step to the total. */
  async step(isExtra = false): Promise<void> {
    if (isExtra) this.#total += 1;
    this.#done += 1;
    const nowMs = this.#now();
    const { isTerminal } = this.#stream;
    if (this.#total < MIN_STEPS || nowMs - this.#drawnMs < (isTerminal ? REDRAW_MS : LINE_MS)) return;
    this.#drawnMs = nowMs;
    const text = this.#describe(nowMs);
    if (!isTerminal) return this.#stream.writeLine(`telltale: ${text}`);
    this.#isDrawn = true;
    const width = Math.max(10, Math.min(40, this.#stream.columns - 50));
    const full = Math.round((this.#done / this.#total) * width);
    const bar = '█'.repeat(full) + '░'.repeat(width - full);
    await this.#stream.write(`\r${bar} ${text}\u001b[K`);
  }

  #describe(nowMs: number): string {
    const perSecond = (1000 * (this.#done - this.#doneBefore)) / Math.max(1, nowMs - this.#startMs);
    const left = describeSeconds((this.#total - this.#done) / perSecond);
    const percent = Math.floor((100 * this.#done) / this.#total);
    return `${this.#done}/${this.#total} ${percent}% ${perSecond.toFixed(1)}/s ${left} left`;
  }

  /** Erases the bar before other output and at the end. */
  async clear(): Promise<void> {
    if (this.#isDrawn) await this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}

function describeSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
