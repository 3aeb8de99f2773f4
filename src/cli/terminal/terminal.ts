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
