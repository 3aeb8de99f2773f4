// Lists of images that the measurements check one after the other.
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { createChecker, CheckError } from 'telltale-engine';
import { findImages } from '../../src/calibration/input-files/find-images.js';
import { modelsDir } from '../machine/machine.js';
import type { CorpusFile } from './make.js';
import type { Format } from './encode.js';
import { BenchUsageError } from '../options.js';

/** Lists of images for the measurements, as absolute paths. */
export interface Loads {
  /** Images of one size, so that their latencies are comparable. */
  readonly photo: readonly string[];
  /** Images of all sizes, in the formats that every baseline reads. */
  readonly mix: readonly string[];
  /** Small images of all formats, with a few larger ones. */
  readonly memory: readonly string[];
}

/**
 * Formats and sizes in `mix`, and how often each occurs. Chosen: most uploads are JPEG files of one to four
 * megapixels.
 */
const MIX: readonly (readonly [format: Format, megapixels: number, times: number])[] = [
  ['jpeg', 0.3, 3],
  ['jpeg', 1, 5],
  ['jpeg', 4, 3],
  ['jpeg', 12, 1],
  ['png', 0.3, 1],
  ['png', 1, 1],
  ['webp', 0.3, 1],
  ['webp', 1, 2],
  ['webp', 4, 1],
  ['avif', 1, 1],
  ['tiff', 0.3, 1],
];

/** Returns the lists made from the bench's own images. */
export function loadsOfCorpus(corpus: readonly CorpusFile[]): Loads {
  const find = (format: Format, megapixels: number, hasFace: boolean): string[] =>
    corpus
      .filter((file) => file.format === format && file.megapixels === megapixels && file.hasFace === hasFace)
      .map(({ path }) => path);
  const mix = MIX.flatMap(([format, megapixels, times]) =>
    Array.from({ length: times }, (_, index) => find(format, megapixels, index % 2 === 0)).flat(),
  );
  const small = corpus.filter(({ megapixels }) => megapixels < 0.2).map(({ path }) => path);
  return {
    photo: [...find('jpeg', 1, true), ...find('jpeg', 1, false)],
    mix: shuffle(mix),
    memory: [
      ...Array.from({ length: 7 }, () => small).flat(),
      ...find('jpeg', 1, true),
      ...find('png', 0.3, false),
    ],
  };
}

/**
 * Returns the lists made from a user's folder: every image in it that a check accepts. Rejects with BenchUsageError if
 * the folder has no such image.
 */
export async function loadsOfFolder(folder: string, say: (line: string) => void): Promise<Loads> {
  const isFolder = (await stat(folder).catch(() => null))?.isDirectory() ?? false;
  if (!isFolder) throw new BenchUsageError(`there is no folder '${folder}'`);
  const checker = await createChecker({ modelsDir: modelsDir(), device: 'cpu' });
  const files: string[] = [];
  for (const { name } of await findImages([resolve(folder)], { signal: AbortSignal.any([]) })) {
    try {
      await checker.check(await readFile(name));
      files.push(name);
    } catch (error) {
      if (!(error instanceof CheckError)) throw error;
      say(`${basename(name)} is left out: ${error.message}`);
    }
  }
  await checker.close();
  if (files.length === 0) throw new BenchUsageError(`there is no image that can be checked in '${folder}'`);
  return { photo: files, mix: files, memory: files };
}

/** Shuffles into the same order each time, so that files of the same kind do not follow each other. */
function shuffle(files: readonly string[]): string[] {
  // The step and the length have no common divisor, so every file is taken exactly once.
  const step = files.length % 7 === 0 ? 5 : 7;
  return files.map((_, index) => files[(index * step) % files.length] ?? '');
}
