// Reads labelled images (genuine or AI) for an evaluation: folders with `real/` and `ai/`, or a CSV file.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { toFilePath } from 'telltale-engine/internal/base/files.js';
import { asUtf8 } from '../../tables/read-lines.js';
import { plainName, readRows } from '../../tables/read-rows.js';
import { findImages, hasImageExtension } from '../input-files/find-images.js';

/** An image with its label, genuine or AI. */
export interface LabelledImage {
  readonly path: string;
  readonly isAi: boolean;
  /** Publisher of the image. Confidence intervals count sources, because images of one source are alike. */
  readonly source: string;
  /** Row of the report that counts this image: a generator, or a source of genuine images. */
  readonly group: string;
  /** Kind of image, such as `camera` or `generated`, or an empty string. */
  readonly kind: string;
  /** Content of the image, such as `face` or `art`, or an empty string. */
  readonly content: string;
}

/** Values of the CSV column `label` that mean AI. */
const AI_LABELS = new Set(['ai', 'generated', 'edited', 'swapped', 'fake']);

/** Accepted column names of a CSV file for each field. The first column that exists and is not empty counts. */
const COLUMNS = {
  path: ['file', 'path'],
  group: ['generator', 'generator_or_method', 'method', 'group'],
  source: ['source', 'repo'],
} as const;

/**
 * Reads the labelled images at all `paths`. A folder contains `real` and `ai`, whose subfolders name the source or
 * generator. A CSV file has the columns `path` (or `file`; relative to the CSV) and `label` (`real`; `ai`,
 * `generated`, `edited`, `swapped`, `fake`), and optionally `source` (or `repo`), `group` (or `generator`, `method`),
 * `kind` and `content`. `unlabelled` is the label for other folders and for a CSV without `label`. An image named
 * twice counts once. Rejects with CheckError `not_found` or `invalid_request`, also for an image named both genuine
 * and AI.
 */
export async function loadDataset(
  paths: readonly string[],
  signal: AbortSignal,
  { unlabelled }: { readonly unlabelled?: 'real' } = {},
): Promise<LabelledImage[]> {
  const images = new Map<string, LabelledImage>();
  for (const path of paths) {
    const pathStat = await stat(toFilePath(path)).catch(() => null);
    if (pathStat === null) throw new CheckError('not_found', `There is no folder or CSV file ${path}`);
    for (const image of pathStat.isDirectory()
      ? await loadFolder(path, signal, unlabelled)
      : await loadCsv(path, unlabelled)) {
      const key = resolve(image.path);
      const existing = images.get(key) ?? image;
      if (existing.isAi !== image.isAi) throw invalidRequest(`${image.path} is labelled both real and AI`);
      images.set(key, existing);
    }
  }
  return [...images.values()];
}

async function loadFolder(
  folder: string,
  signal: AbortSignal,
  unlabelled?: 'real',
): Promise<LabelledImage[]> {
  const find = async (below: string, label: 'real' | 'ai'): Promise<LabelledImage[]> => {
    const foundImages = await findImages([below], { signal });
    return foundImages
      .filter(({ name }) => hasImageExtension(name))
      .map(({ name, relativePath }) => {
        const [first = '', ...deeper] = relativePath.split('/');
        const group = deeper.length > 0 ? first : `${basename(resolve(folder))}/${label}`;
        return { path: name, isAi: label === 'ai', source: group, group, kind: '', content: '' };
      });
  };
  const classes = await Promise.all(
    (['real', 'ai'] as const).map((label) => find(join(folder, label), label)),
  );
  const labelled = classes.flat();
  const images = labelled.length === 0 && unlabelled ? await find(folder, unlabelled) : labelled;
  if (images.length > 0) return images;
  throw invalidRequest(`${folder} holds no images${unlabelled ? '' : " in folders 'real' and 'ai'"}`);
}

async function loadCsv(path: string, unlabelled = ''): Promise<LabelledImage[]> {
  let rows: Record<string, string>[];
  try {
    rows = await readTable(path);
  } catch (cause) {
    throw invalidRequest(`${path} is not a CSV file: ${String(cause)}`, { cause });
  }
  if (rows.length === 0) throw invalidRequest(`${path} has no rows`);
  return rows.map((row, at) => {
    const rowName = `${path}, row ${at + 1}`;
    const file = pick(row, COLUMNS.path);
    if (file === '') throw invalidRequest(`${rowName}: Expected a path but received nothing`);
    const label = row['label'] ?? unlabelled;
    if (label !== 'real' && !AI_LABELS.has(label)) {
      const labels = ['real', ...AI_LABELS].join(', ');
      throw invalidRequest(`${rowName}: Expected one of ${labels} for label but received '${label}'`);
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

/** Reads the rows of a CSV file as objects by column name. */
async function readTable(path: string): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = [];
  let names: string[] | null = null;
  for await (const { cells } of readRows(asUtf8(createReadStream(toFilePath(path))))) {
    if (names === null) names = cells.map(plainName);
    else rows.push(Object.fromEntries(names.map((name, at) => [name, (cells[at] ?? '').trim()])));
  }
  return rows;
}

function pick(row: Readonly<Record<string, string>>, names: readonly string[]): string {
  return names.map((name) => row[name] ?? '').find((value) => value !== '') ?? '';
}
