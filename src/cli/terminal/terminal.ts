// Standard output and standard error as commands see them: terminal or pipe, width, colour, back-pressure.
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** The few styles that commands use. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** A stream that may be a terminal's. */
type Output = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>>;

/** One of the two streams. */
export class TerminalStream {
  readonly #stream: Output;

  constructor(stream: Output) {
    this.#stream = stream;
  }

  /** Whether a person watches. */
  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Columns of the terminal; infinite in a pipe, where nothing is wrapped or cut. */
  get columns(): number {
    return this.isTerminal ? this.#stream.columns || 80 : Infinity;
  }

  /** `text` in a style if the terminal has colours and NO_COLOR does not forbid them; else as it is. */
  style(style: Style, text: string): string {
    if (!this.isTerminal || this.#stream.hasColors?.() !== true) return text;
    return styleText(style, text);
  }

  /** Writes; resolves when there is room for more. What can't be written is for the stream's own listeners: see program.ts. */
  async write(text: string): Promise<void> {
    // A stream ends with its first fault, and has no room ever after.
    if (this.#stream.destroyed || this.#stream.write(text)) return;
    await once(this.#stream, 'drain').catch(() => undefined);
  }

  /** Writes `text` and a line end. */
  writeLine(text: string): Promise<void> {
    return this.write(`${text}\n`);
  }
}

/** What a command may use of its surroundings. */
export interface Terminal {
  readonly out: TerminalStream;
  readonly err: TerminalStream;
  /** Aborts on Ctrl-C or SIGTERM: stop taking up work, close all that is open, end. */
  readonly signal: AbortSignal;
}
