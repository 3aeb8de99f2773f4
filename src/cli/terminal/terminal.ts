// Standard output and standard error for commands: terminal or pipe, width, colour, back-pressure.
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** Styles of commands. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** A stream that may belong to a terminal. */
type Output = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>>;

/** One of the two streams. */
export class TerminalStream {
  readonly #stream: Output;

  constructor(stream: Output) {
    this.#stream = stream;
  }

  /** True if the stream is a terminal. */
  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Number of columns of the terminal; infinite in a pipe, so that nothing is wrapped or cut. */
  get columns(): number {
    return this.isTerminal ? this.#stream.columns || 80 : Infinity;
  }

  /** Returns `text` in a style if the terminal has colours and NO_COLOR is not set, else unchanged. */
  style(style: Style, text: string): string {
    if (!this.isTerminal || this.#stream.hasColors?.() !== true) return text;
    return styleText(style, text);
  }

  /** Writes text and resolves when there is room for more. Errors go to the stream's listeners in program.ts. */
  async write(text: string): Promise<void> {
    // A stream that failed never drains.
    if (this.#stream.destroyed || this.#stream.write(text)) return;
    await once(this.#stream, 'drain').catch(() => undefined);
  }

  /** Writes `text` and a line break. */
  writeLine(text: string): Promise<void> {
    return this.write(`${text}\n`);
  }
}

/** Environment of a command. */
export interface Terminal {
  readonly out: TerminalStream;
  readonly err: TerminalStream;
  /** Signal that aborts on Ctrl-C or SIGTERM: stop taking work, close everything, end. */
  readonly signal: AbortSignal;
}
