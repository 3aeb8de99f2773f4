// Labelled pictures: folders with `real/` and `ai/`, or a CSV file.
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { CheckError } from '../errors.js';
import { findPictures, hasImageExtension } from '../pictures/find-pictures.js';

/** One picture whose truth is known. */
export interface LabelledPicture {
  readonly path: string;
  readonly isAi: boolean;
  /** Where it comes from: the unit that the bootstrap draws, as pictures of one source are alike. */
  readonly source: string;
  /** Name of the row in the report it counts under: a generator, or a source of genuine pictures. */
  readonly group: string;
  /** Kind of picture, such as `camera` or `generated`; empty where nothing is said. */
  readonly kind: string;
  /** What it shows, such as `face` or `art`; empty where nothing is said. */
  readonly content: string;
}

/** Values of the column `label`, besides `real`. */
const AI_LABELS = new Set(['ai', 'generated', 'edited', 'swapped', 'fake']);

/** Columns by meaning; the first that a file has and that is not empty is taken. */
const COLUMNS = {
  path: ['file', 'path'],
  group: ['generator', 'generator_or_method', 'method', 'group'],
  source: ['source', 'repo'],
} as const;

/**
 * Reads every set named. A folder holds `real` and `ai`; folders within these name the source or generator. A CSV file has the
 * columns `path` (or `file`; relative to the CSV), `label` (`real`; `ai`, `generated`, `edited`, `swapped`, `fake`) and,
 * if it likes, `source` (or `repo`), `group` (or `generator`, `method`), `kind` and `content`. Rejects with CheckError
 * `invalid_request` or `not_found`.
 */
export async function loadDataset(paths: readonly string[], signal: AbortSignal): Promise<LabelledPicture[]> {
  const pictures: LabelledPicture[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found === null) throw new CheckError('not_found', `there is no folder or CSV file ${path}`);
    pictures.push(...(found.isDirectory() ? await loadFolder(path, signal) : await loadCsv(path)));
  }
  return pictures;
}

async function loadFolder(folder: string, signal: AbortSignal): Promise<LabelledPicture[]> {
  const classes = await Promise.all(
    ['real', 'ai'].map(async (label) => {
      const found = await findPictures([join(folder, label)], { signal });
      return found
        .filter(({ name }) => hasImageExtension(name))
        .map(({ name, relativePath }): LabelledPicture => {
          const [first = '', ...below] = relativePath.split('/');
          const group = below.length > 0 ? first : `${basename(resolve(folder))}/${label}`;
          return { path: name, isAi: label === 'ai', source: group, group, kind: '', content: '' };
        });
    }),
  );
  const pictures = classes.flat();
  if (pictures.length > 0) return pictures;
  throw new CheckError('invalid_request', `${folder} holds no pictures in folders 'real' and 'ai'`);
}

async function loadCsv(path: string): Promise<LabelledPicture[]> {
  let rows: Record<string, string>[];
  try {
    rows = parse(await readFile(path), { columns: true, bom: true, skip_empty_lines: true, trim: true });
  } catch (cause) {
    throw new CheckError('invalid_request', `${path} is no CSV file: ${String(cause)}`, { cause });
  }
  if (rows.length === 0) throw new CheckError('invalid_request', `${path} has no rows`);
  return rows.map((row, at) => {
    const where = `${path}, row ${at + 1}`;
    const file = pick(row, COLUMNS.path);
    if (file === '')
      throw new CheckError('invalid_request', `${where}: Expected a path but received nothing`);
    const label = row['label'] ?? '';
    if (label !== 'real' && !AI_LABELS.has(label)) {
      const labels = ['real', ...AI_LABELS].join(', ');
      throw new CheckError(
        'invalid_request',
        `${where}: Expected one of ${labels} for label but received '${label}'`,
      );
    }
    const group = pick(row, COLUMNS.group);
    const source = pick(row, COLUMNS.source) || group || label;
    return {
      path: resolve(dirname(path), file),
      isAi: label !== 'real',
      source,
      group: group || source,
      kind: row['kind'] ?? '',
      content: row['content'] ?? '',
    };
  });
}

function pick(row: Readonly<Record<string, string>>, names: readonly string[]): string {
  return names.map((name) => row[name] ?? '').find((value) => value !== '') ?? '';
}
