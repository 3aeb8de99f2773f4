// What separates the cells of a table: a comma, a semicolon where the comma is a decimal point, or a tab.
import { MAX_LINE_BYTES } from './list-fault.js';

const SEPARATORS = [',', ';', '\t'] as const;
const SEPARATOR_BYTES: readonly number[] = SEPARATORS.map((separator) => separator.charCodeAt(0));
const QUOTE = 0x22;
const LINE_ENDS: readonly number[] = [0x0a, 0x0d];
const SPACE = 0x20;

/** Looks at the header of a table once, as it comes: its separator is the one that it holds most often outside quotes. */
export class SeparatorFinder {
  readonly #counts = new Map<number, number>();
  #lineBytes = 0;
  #isQuoted = false;
  #isBlank = true;
  #isOver = false;

  /** Whether the header is not over yet; false, too, if a line is longer than any reader takes. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** The separator as far as it was seen; a comma if there is one column. */
  get separator(): string {
    const countOf = (separator: string): number => this.#counts.get(separator.charCodeAt(0)) ?? 0;
    return SEPARATORS.reduce<string>((best, next) => (countOf(next) > countOf(best) ? next : best), ',');
  }

  /** Reads the next chunk. */
  add(chunk: Buffer): void {
    for (const byte of chunk) {
      this.#isOver ||= this.#lineBytes > MAX_LINE_BYTES;
      if (this.#isOver) return;
      if (LINE_ENDS.includes(byte) && !this.#isQuoted) this.#endLine();
      else this.#count(byte);
    }
  }

  #endLine(): void {
    this.#isOver = !this.#isBlank;
    this.#lineBytes = 0;
    // Blank lines count for nothing, nor do the tabs in them.
    if (this.#isBlank) this.#counts.clear();
  }

  #count(byte: number): void {
    this.#lineBytes += 1;
    if (byte > SPACE) this.#isBlank = false;
    if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
    else if (!this.#isQuoted && SEPARATOR_BYTES.includes(byte))
      this.#counts.set(byte, (this.#counts.get(byte) ?? 0) + 1);
  }
}
