// What a scan is to check: the pictures of a folder, or the addresses and paths of a list.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { ListFault } from '../../../base/list-parsing/list-fault.js';
import { readLines } from '../../../base/list-parsing/read-lines.js';
import { readRows } from '../../../base/list-parsing/read-rows.js';
import { findPictures } from '../../../calibration/input-files/find-pictures.js';
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
  const names = await collect(isCsv ? readColumn(stream, column) : readNames(stream));
  if (names.length === 0) throw new UsageError('the list is empty');
  return names.map((name) => ({ name, isAddress: /^https?:\/\//i.test(name), isAskedFor: true }));
}

/** The list's own faults are faults of the call. */
async function collect(names: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = [];
  try {
    for await (const name of names) collected.push(name);
  } catch (error) {
    if (error instanceof ListFault) throw new UsageError(error.message);
    throw error;
  }
  return collected;
}

async function* readNames(stream: Readable): AsyncGenerator<string> {
  for await (const { text } of readLines(stream)) yield text;
}

async function* readColumn(stream: Readable, wanted: string | undefined): AsyncGenerator<string> {
  let column = -1;
  for await (const { cells } of readRows(stream)) {
    const name = (cells[column] ?? '').trim();
    if (column === -1) column = findColumn(cells, wanted);
    else if (name !== '') yield name;
  }
}

function findColumn(header: readonly string[], wanted: string | undefined): number {
  const choices = wanted === undefined ? DEFAULT_COLUMNS : [wanted];
  const at = choices.map((name) => header.indexOf(name)).find((index) => index !== -1);
  if (at !== undefined) return at;
  throw new UsageError(
    `the first line of the list has no column ${choices.map((name) => `'${name}'`).join(' or ')}; --column names it`,
  );
}
