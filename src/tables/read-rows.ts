// Reading a table separated by commas, semicolons, tabs, or the character in a first line `sep=`.
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { parse, CsvError } from 'csv-parse';
import { lineNotUtf8, lineTooLong, ListFault, MAX_LINE_BYTES } from './read-lines.js';
import { setImmediate } from 'node:timers/promises';

/** A row of a table. */
interface Row {
  /** Number of the line on which the row ends, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A row in the form that csv-parse returns with its option `info`. */
interface Parsed {
  readonly record: readonly Buffer[];
  readonly info: { readonly lines: number };
}

/**
 * Yields the rows of a table, header first, without empty lines and the first line `sep=;` of Excel. Requires
 * UTF-8 without a byte order mark, as `asUtf8` yields it. Throws ListFault for other encodings, long rows and
 * broken quotes.
 */
export async function* readRows(source: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const { delimiter, isDeclared, whole } = await readSeparator(source);
  const stream = Readable.from(whole);
  const rows = stream.pipe(
    parse({
      delimiter,
      // Cells arrive as bytes, because a decoded cell does not tell invalid UTF-8 from a real U+FFFD.
      encoding: null,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_LINE_BYTES,
    }),
  );
  stream.on('error', (error) => rows.destroy(error));
  try {
    let isFirst = true;
    for await (const { record, info } of rows as AsyncIterable<Parsed>) {
      const isDeclaration = isFirst && isDeclared;
      isFirst = false;
      if (isDeclaration) continue;
      if (!record.every((cell) => isUtf8(cell))) throw lineNotUtf8(info.lines);
      yield { line: info.lines, cells: record.map((cell) => cell.toString()) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The message ends with the value, which may have thousands of characters.
    throw error.code === 'CSV_MAX_RECORD_SIZE'
      ? lineTooLong(rows.info.lines + 1)
      : new ListFault(`The list is not valid CSV: ${error.message.replace(/, value is .*/s, '')}`);
  } finally {
    stream.destroy();
  }
}

async function readSeparator(
  source: AsyncIterable<Buffer>,
): Promise<{ delimiter: string; isDeclared: boolean; whole: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  const finder = new SeparatorFinder();
  while (finder.isOpen) {
    const { value, done } = (await chunks.next()) as IteratorResult<Buffer, undefined>;
    if (done === true) break;
    read.push(value);
    finder.add(value);
  }
  const { separator: delimiter, isDeclared } = finder;
  return { delimiter, isDeclared, whole: rejoin(read, chunks) };
}

const SEPARATORS = [',', ';', '\t'] as const;
const SEPARATOR_BYTES: readonly number[] = SEPARATORS.map((separator) => separator.charCodeAt(0));
const QUOTE = 0x22;
const LINE_ENDS: readonly number[] = [0x0a, 0x0d];
const SPACE = 0x20;

/** Pattern of the first line in which Excel names the separator. */
const DECLARATION = /^"?sep=(.)"?$/i;
const MAX_DECLARATION_BYTES = 16;

/** Finds the separator: the one in a first line `sep=`, else the most frequent one in the header. */
class SeparatorFinder {
  readonly #counts = new Map<number, number>();
  #lineBytes = 0;
  #isQuoted = false;
  #isBlank = true;
  #line: number[] = [];
  #declared: string | null = null;
  #isOver = false;

  /** True while more bytes are needed: the header has not ended, and its line is not too long. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** Separator according to the bytes so far; a comma if the table has a single column. */
  get separator(): string {
    if (this.#declared !== null) return this.#declared;
    const countOf = (separator: string): number => this.#counts.get(separator.charCodeAt(0)) ?? 0;
    return SEPARATORS.reduce<string>((best, next) => (countOf(next) > countOf(best) ? next : best), ',');
  }

  /** True if a first line `sep=` names the separator. */
  get isDeclared(): boolean {
    return this.#declared !== null;
  }

  /** Examines the next bytes of the table. */
  add(chunk: Buffer): void {
    for (const byte of chunk) {
      this.#isOver ||= this.#lineBytes > MAX_LINE_BYTES;
      if (this.#isOver) return;
      if (LINE_ENDS.includes(byte) && !this.#isQuoted) this.#endLine();
      else this.#count(byte);
    }
  }

  #endLine(): void {
    this.#declared = DECLARATION.exec(Buffer.from(this.#line).toString().trim())?.[1] ?? null;
    this.#isOver = !this.#isBlank;
    this.#lineBytes = 0;
    this.#line = [];
    // Tabs in blank lines do not separate values.
    if (this.#isBlank) this.#counts.clear();
  }

  #count(byte: number): void {
    this.#lineBytes += 1;
    if (this.#line.length < MAX_DECLARATION_BYTES) this.#line.push(byte);
    if (byte > SPACE) this.#isBlank = false;
    if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
    else if (!this.#isQuoted && SEPARATOR_BYTES.includes(byte))
      this.#counts.set(byte, (this.#counts.get(byte) ?? 0) + 1);
  }
}

/** Yields the chunks that were read already, then all further chunks. */
export async function* rejoin(read: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (const chunk of read) {
      yield chunk;
      // Lets other events run, because megabytes of blank lines would block the event loop.
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

/** Returns the index of the first of `names` in a header, or -1. Ignores case and surrounding spaces. */
export function findColumn(header: readonly string[], names: readonly string[]): number {
  const plain = header.map(plainName);
  return names.map((name) => plain.indexOf(plainName(name))).find((index) => index !== -1) ?? -1;
}

/** Returns a column's name for comparisons: in lower case, without spaces around it. */
export function plainName(name: string): string {
  return name.trim().toLowerCase();
}
