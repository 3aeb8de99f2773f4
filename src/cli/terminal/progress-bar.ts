// Progress on standard error: a bar for people, and in a pipe a line now and then for a log.
import type { TerminalStream } from './terminal.js';

/** Fewer steps than this are told of by nothing. Chosen: they are done in about a second. */
const MIN_STEPS = 8;

/** Milliseconds between two drawings. Chosen: the eye sees no more. */
const REDRAW_MS = 100;
/** Milliseconds between two lines of a log. */
const LINE_MS = 10_000;

/** How far a known number of steps is, with their rate and the time left. */
export class ProgressBar {
  readonly #stream: TerminalStream;
  #total: number;
  readonly #now: () => number;
  readonly #startMs: number;
  /** Steps that were done before this program began. */
  readonly #doneBefore: number;
  #done: number;
  #drawnMs: number;
  #isDrawn = false;

  /** `now` gives milliseconds; it differs in tests. */
  constructor(stream: TerminalStream, total: number, { doneBefore = 0, now = Date.now } = {}) {
    this.#stream = stream;
    this.#total = total;
    this.#doneBefore = this.#done = doneBefore;
    this.#now = now;
    this.#startMs = now();
    // A bar is there at once; what is done within the time of a line needs none.
    this.#drawnMs = stream.isTerminal ? 0 : this.#startMs;
  }

  /** Counts one step; `isExtra`: one that the total does not have yet. */
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
