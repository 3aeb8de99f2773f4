// Showing progress on standard error: a bar on a terminal, occasional lines in a log.
import type { TerminalStream } from './terminal.js';

/** Minimum number of steps to show progress for. Fewer steps take about a second. */
const MIN_STEPS = 8;

/** Minimum milliseconds between two drawings, because people don't notice faster changes. */
const REDRAW_MS = 100;
/** Milliseconds between two lines in a log. */
const LINE_MS = 10_000;

/** Progress of a known number of steps, with steps per second and remaining time. */
export class ProgressBar {
  readonly #stream: TerminalStream;
  #total: number;
  readonly #now: () => number;
  readonly #startMs: number;
  /** Number of steps that an earlier run of the program did. */
  readonly #doneBefore: number;
  #done: number;
  #drawnMs: number;
  #isDrawn = false;

  /** `now` returns the time in milliseconds. Tests pass their own clock. */
  constructor(stream: TerminalStream, total: number, { doneBefore = 0, now = Date.now } = {}) {
    this.#stream = stream;
    this.#total = total;
    this.#doneBefore = this.#done = doneBefore;
    this.#now = now;
    this.#startMs = now();
    // The bar appears immediately, the first line of a log after its interval.
    this.#drawnMs = stream.isTerminal ? 0 : this.#startMs;
  }

  /** Counts a finished step. `isExtra` also adds one to the total, for a step that was not expected. */
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
    const remainingTime = describeSeconds((this.#total - this.#done) / perSecond);
    const percent = Math.floor((100 * this.#done) / this.#total);
    return `${this.#done}/${this.#total} ${percent}% ${perSecond.toFixed(1)}/s ${remainingTime} left`;
  }

  /** Erases the bar, before other output and at the end. */
  async clear(): Promise<void> {
    if (this.#isDrawn) await this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}

function describeSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
