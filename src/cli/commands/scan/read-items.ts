// Reading which images to scan: the files of a folder, or the addresses and paths of a list.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { toFilePath } from 'telltale-engine/internal/base/files.js';
import { asUtf8, ListFault, readLines } from '../../../tables/read-lines.js';
import { findColumn, readRows } from '../../../tables/read-rows.js';
import { findImages, hasImageExtension } from '../../../calibration/input-files/find-images.js';
import { UsageError } from '../command.js';

/** One image to scan. */
export interface ScanItem {
  /** An http or https address, or a path. */
  readonly name: string;
  readonly isAddress: boolean;
  /** False for a file of a folder without an image extension. It is skipped if it is not an image. */
  readonly mustBeImage: boolean;
}

/** Where the images to scan are named. */
interface ItemSource {
  /** Path of a folder or of a list file; `-` for a list on standard input. */
  readonly path: string;
  /** Column of a CSV file with the images. If set, a list is read as CSV, whatever its extension. */
  readonly column: string | undefined;
  readonly signal: AbortSignal;
}

const TABLE_ENDINGS: readonly string[] = ['.csv', '.tsv'];
const DEFAULT_COLUMNS = ['url', 'image_url', 'file', 'path'];

/**
 * Reads all items in order. Rejects with UsageError for a missing file or an empty list. Errors within a list
 * name the line: not UTF-8, too long, missing column or broken quotes.
 */
export async function readItems({ path, column, signal }: ItemSource): Promise<ScanItem[]> {
  const fileStat = path === '-' ? null : await stat(toFilePath(path)).catch(() => null);
  if (path !== '-' && fileStat === null) throw new UsageError(`there is no folder or list '${path}'`);
  if (fileStat?.isDirectory() === true) {
    const images = await findImages([path], { signal });
    return images.map(({ name, mustBeImage }) => ({ name, isAddress: false, mustBeImage }));
  }
  if (hasImageExtension(path))
    throw new UsageError(
      `Expected a folder or a list but received the image '${path}'. 'telltale check' checks single images`,
    );
  const list = asUtf8(path === '-' ? process.stdin : createReadStream(toFilePath(path), { signal }));
  const isTable = column !== undefined || TABLE_ENDINGS.includes(extname(path).toLowerCase());
  const names = await collect(isTable ? readColumn(list, column) : readNames(list));
  if (names.length === 0) throw new UsageError('The list contains no image');
  return names.map((name) => ({ name, isAddress: /^https?:\/\//i.test(name), mustBeImage: true }));
}

/** Collects all names of a list. Converts errors of the list to usage errors. */
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

async function* readNames(list: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const { text } of readLines(list)) yield text;
}

async function* readColumn(
  list: AsyncIterable<Buffer>,
  columnName: string | undefined,
): AsyncGenerator<string> {
  let column = -1;
  for await (const { cells } of readRows(list)) {
    const name = (cells[column] ?? '').trim();
    if (column === -1) column = chooseColumn(cells, columnName);
    else if (name !== '') yield name;
  }
}

function chooseColumn(header: readonly string[], columnName: string | undefined): number {
  const choices = columnName === undefined ? DEFAULT_COLUMNS : [columnName];
  const column = findColumn(header, choices);
  if (column !== -1) return column;
  throw new UsageError(
    `The list has no column ${choices.map((name) => `'${name}'`).join(' or ')}. Name one of its columns by --column: ${header.map((name) => name.trim()).join(', ')}`,
  );
}
