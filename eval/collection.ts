// Reading collections of images. The name of an image file begins with the first 16 digits of its SHA-256. Tables
// (CSV) with the columns sha256 and label describe the images.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'csv-parse/sync';

/** A row of a table that describes images. */
export interface Source {
  readonly sha256: string;
  readonly label: 'ai' | 'real';
}

/** Returns the key by which a file is found in the tables: the first 16 characters of its name. */
export const keyOf = (name: string): string => basename(name).slice(0, 16);

/** Lists the files of folders and their subfolders, by key. */
export async function listFiles(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const lists = folders.map(async (folder) =>
    (await readdir(folder, { recursive: true })).map((name) => [keyOf(name), join(folder, name)] as const),
  );
  return new Map((await Promise.all(lists)).flat());
}

export async function readSources(paths: readonly string[]): Promise<Source[]> {
  const tables = await Promise.all(paths.map((path) => readFile(path)));
  return tables.flatMap((table): Source[] => parse(table, { columns: true }));
}
