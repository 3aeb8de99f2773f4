// Writing to standard output and standard error, with width and colours if they are a terminal.
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** Text styles that commands use. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** A stream, which may be a terminal. */
type Output = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>>;

/** Standard output or standard error. */
export class TerminalStream {
  readonly #stream: Output;

  constructor(stream: Output) {
    this.#stream = stream;
  }

  /** True if the stream is a terminal. */
  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Width of the terminal in characters. Infinite if the output goes elsewhere, so that nothing is cut. */
  get columns(): number {
    return this.isTerminal ? this.#stream.columns || 80 : Infinity;
  }

  /** Returns `text` in a style, or unchanged if the terminal has no colours or NO_COLOR is set. */
  style(style: Style, text: string): string {
    if (!this.isTerminal || this.#stream.hasColors?.() !== true) return text;
    return styleText(style, text);
  }

  /** Writes a text and resolves when the stream can take more. program.ts handles the stream's errors. */
  async write(text: string): Promise<void> {
    // Errors are ignored, because a failed stream never becomes ready.
    if (this.#stream.destroyed || this.#stream.write(text)) return;
    await once(this.#stream, 'drain').catch(() => undefined);
  }

  writeLine(text: string): Promise<void> {
    return this.write(`${text}\n`);
  }
}

/** Streams and signal with which a command runs. */
export interface Terminal {
  readonly out: TerminalStream;
  readonly err: TerminalStream;
  /** Signal that aborts on Ctrl-C or SIGTERM. The command must then take no more work and end. */
  readonly signal: AbortSignal;
}

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
