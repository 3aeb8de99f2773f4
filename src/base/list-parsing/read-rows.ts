// A list as a table, by commas, semicolons or tabs, read as it comes.
import { Readable } from 'node:stream';
import { parse, CsvError } from 'csv-parse';
import { lineNotUtf8, lineTooLong, ListFault, MAX_LINE_BYTES } from './list-fault.js';
import { rejoin } from './rejoin.js';
import { SeparatorFinder } from './separator.js';

/** One row. */
export interface Row {
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
