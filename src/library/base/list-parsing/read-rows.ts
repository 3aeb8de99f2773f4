// A list as a table, by commas, semicolons or tabs, read as it comes.
import { Readable } from 'node:stream';
import { parse, CsvError } from 'csv-parse';
import { lineNotUtf8, lineTooLong, ListFault, MAX_LINE_BYTES } from './list-fault.js';
import { setImmediate } from 'node:timers/promises';

/** One row. */
interface Row {
  /** The line of the list on which it ends, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** What csv-parse gives with its option `info`. */
interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * The rows, the header first; empty lines count for nothing. The source is UTF-8 without a mark, as `asUtf8` gives it.
 * Throws ListFault: not UTF-8, a row that is too long, broken quotes.
 */
export async function* readRows(source: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const { delimiter, whole } = await lookAtHeader(source);
  const stream = Readable.from(whole);
  const rows = stream.pipe(
    parse({
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_LINE_BYTES,
    }),
  );
  stream.on('error', (error) => rows.destroy(error));
  try {
    for await (const { record, info } of rows as AsyncIterable<Parsed>) {
      if (record.some((cell) => cell.includes('\uFFFD'))) throw lineNotUtf8(info.lines);
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = rows.info.lines + 1;
    throw error.code === 'CSV_MAX_RECORD_SIZE'
      ? lineTooLong(line)
      : new ListFault(`line ${line}: ${error.message}`);
  } finally {
    stream.destroy();
  }
}

async function lookAtHeader(
  source: AsyncIterable<Buffer>,
): Promise<{ delimiter: string; whole: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  const finder = new SeparatorFinder();
  while (finder.isOpen) {
    const { value, done } = (await chunks.next()) as IteratorResult<Buffer, undefined>;
    if (done === true) break;
    read.push(value);
    finder.add(value);
  }
  return { delimiter: finder.separator, whole: rejoin(read, chunks) };
}

const SEPARATORS = [',', ';', '\t'] as const;
const SEPARATOR_BYTES: readonly number[] = SEPARATORS.map((separator) => separator.charCodeAt(0));
const QUOTE = 0x22;
const LINE_ENDS: readonly number[] = [0x0a, 0x0d];
const SPACE = 0x20;

/** Looks at the header of a table once, as it comes: its separator is the one that it holds most often outside quotes. */
class SeparatorFinder {
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

/** The chunks that were read, then the rest. */
export async function* rejoin(read: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (const chunk of read) {
      yield chunk;
      // Nothing is waited for here, and megabytes of blank lines would keep everyone else waiting.
      await setImmediate();
    }
    for (;;) {
      const { value, done } = (await rest.next()) as IteratorResult<Buffer, undefined>;
      if (done === true) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}

/** Where the first of `names` stands in a header; -1 if none does. Neither case nor white space around a name counts. */
export function findColumn(header: readonly string[], names: readonly string[]): number {
  const plain = header.map(plainName);
  return names.map((name) => plain.indexOf(plainName(name))).find((index) => index !== -1) ?? -1;
}

/** A column's name without what does not count in it. */
export function plainName(name: string): string {
  return name.trim().toLowerCase();
}
