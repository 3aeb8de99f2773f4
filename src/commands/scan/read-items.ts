// What a scan is to check: the pictures of a folder, or the addresses and paths of a list.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { parse, CsvError } from 'csv-parse';
import { findPictures } from '../../pictures/find-pictures.js';
import { UsageError } from '../command.js';

/** One picture of a scan. */
export interface ScanItem {
  /** An http or https address, or a path. */
  readonly name: string;
  readonly isAddress: boolean;
  /** False for a file met in a folder without a picture's extension: it is left out where it is no picture. */
  readonly isAskedFor: boolean;
}

/** Where the items come from. */
export interface ItemSource {
  /** A folder, a file with a list, or `-` for a list on standard input. */
  readonly path: string;
  /** The column of a CSV file; a list that does not end in .csv is read as CSV where it is given. */
  readonly column: string | undefined;
  readonly signal: AbortSignal;
}

/** What csv-parse gives with its option `info`. */
interface CsvRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Longest line of a list. Chosen: an address has at most 8192 characters, and a row other columns. */
const MAX_LINE_BYTES = 65_536;
const DEFAULT_COLUMNS = ['url', 'image_url', 'file', 'path'];

/**
 * Reads all items, in order. Rejects with UsageError that names the line: not UTF-8, a line that is too long, a CSV
 * file without the column or with broken quotes, an empty list, no such file.
 */
export async function readItems({ path, column, signal }: ItemSource): Promise<ScanItem[]> {
  const found = path === '-' ? null : await stat(path).catch(() => null);
  if (path !== '-' && found === null) throw new UsageError(`there is no folder or list '${path}'`);
  if (found?.isDirectory() === true) {
    const pictures = await findPictures([path], { signal });
    return pictures.map(({ name, isAskedFor }) => ({ name, isAddress: false, isAskedFor }));
  }
  const stream = path === '-' ? process.stdin : createReadStream(path, { signal });
  const isCsv = column !== undefined || extname(path).toLowerCase() === '.csv';
  const names = isCsv ? await readColumn(stream, column) : await readLines(stream);
  if (names.length === 0) throw new UsageError('the list is empty');
  return names.map((name) => ({ name, isAddress: /^https?:\/\//i.test(name), isAskedFor: true }));
}

/** One name a line; empty lines count for nothing. */
async function readLines(stream: Readable): Promise<string[]> {
  const names: string[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let line = 0;
  const take = (bytes: Buffer): void => {
    line += 1;
    const name = decode(bytes, line).trim();
    if (name !== '') names.push(name);
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rest = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10, from)) {
      take(rest.subarray(from, end));
      from = end + 1;
    }
    rest = rest.subarray(from);
    if (rest.byteLength > MAX_LINE_BYTES) throw tooLong(line + 1);
  }
  if (rest.byteLength > 0) take(rest);
  return names;
}

function decode(bytes: Buffer, line: number): string {
  if (bytes.byteLength > MAX_LINE_BYTES) throw tooLong(line);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`line ${line} of the list is not UTF-8`);
  }
}

async function readColumn(stream: Readable, wanted: string | undefined): Promise<string[]> {
  const names: string[] = [];
  let column = -1;
  const rows = stream.pipe(
    parse({
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_LINE_BYTES,
    }),
  );
  stream.on('error', (error) => rows.destroy(error));
  try {
    for await (const { record, info } of rows as AsyncIterable<CsvRow>) {
      if (record.some((cell) => cell.includes('\uFFFD')))
        throw new UsageError(`line ${info.lines} of the list is not UTF-8`);
      if (column === -1) column = findColumn(record, wanted);
      else names.push((record[column] ?? '').trim());
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`line ${rows.info.lines + 1}: ${error.message}`);
    throw error;
  }
  return names.filter((name) => name !== '');
}

function findColumn(header: readonly string[], wanted: string | undefined): number {
  const choices = wanted === undefined ? DEFAULT_COLUMNS : [wanted];
  const at = choices.map((name) => header.indexOf(name)).find((index) => index !== -1);
  if (at !== undefined) return at;
  throw new UsageError(
    `the first line of the list has no column ${choices.map((name) => `'${name}'`).join(' or ')}; --column names it`,
  );
}

function tooLong(line: number): UsageError {
  return new UsageError(`line ${line} of the list has more than ${MAX_LINE_BYTES} bytes`);
}
