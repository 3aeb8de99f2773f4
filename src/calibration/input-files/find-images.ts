// Finds the images that the paths and folders of a command line name, always in the same order.
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isFolder, toFileName, toFilePath } from 'telltale-engine/internal/base/files.js';

/** File name extensions of the seven formats. Files in folders are checked or reported if they have one. */
const IMAGE_EXTENSIONS = new Set(
  '.jpg .jpeg .jpe .jfif .png .webp .avif .gif .bmp .dib .tif .tiff'.split(' '),
);

/** Ending of the names of annotated images, which the command line writes. */
export const RESULT_ENDING = '.annotated.png';

/** A file that may be an image. */
export interface FoundImage {
  /** Path as the user wrote it, or the folder and the path within it; `-` is standard input. */
  readonly name: string;
  /** Path within the folder that the user named, for naming output files. */
  readonly relativePath: string;
  /**
   * False for a file without an image extension that was found in a folder. It is checked if its content is an image,
   * and silently left out otherwise.
   */
  readonly mustBeImage: boolean;
}

/** Options of `findImages`. */
interface FindOptions {
  /**
   * Folder for results. It is skipped if it lies within a searched folder. If it is searched itself, only earlier
   * results are skipped.
   */
  readonly resultsDir?: string | undefined;
  /** Signal that stops the search, which then rejects with its reason. */
  readonly signal: AbortSignal;
}

/**
 * Replaces folders by the files in them and their subfolders. Skips hidden files, pipes, sockets and devices, and does
 * not follow links to folders. Sorts the files of a folder by name. Includes unreadable paths, because reading them
 * reports the error.
 */
export async function findImages(paths: readonly string[], options: FindOptions): Promise<FoundImage[]> {
  const { resultsDir, signal } = options;
  const results = resultsDir === undefined ? null : await realpath(toFilePath(resultsDir)).catch(() => null);
  const foundImages: FoundImage[] = [];
  for (const path of paths) {
    if (path !== '-' && (await isFolder(path)))
      await searchFolder(path, '', { results, signal }, foundImages);
    else
      foundImages.push({
        name: path,
        relativePath: path === '-' ? 'stdin' : basename(path),
        mustBeImage: true,
      });
  }
  return foundImages;
}

/** Returns whether `name` has an extension of an accepted format. */
export function hasImageExtension(name: string): boolean {
  return IMAGE_EXTENSIONS.has(extname(name).toLowerCase());
}

async function searchFolder(
  folder: string,
  below: string,
  options: { readonly results: string | null; readonly signal: AbortSignal },
  foundImages: FoundImage[],
): Promise<void> {
  options.signal.throwIfAborted();
  const entries: { name: string; isFolder: boolean }[] = [];
  try {
    const holdsResults = options.results !== null && (await realpath(toFilePath(folder))) === options.results;
    if (holdsResults && below !== '') return;
    for (const entry of await readdir(toFilePath(folder), { withFileTypes: true, encoding: 'buffer' })) {
      const name = toFileName(entry.name);
      if (name.startsWith('.') || (holdsResults && name.endsWith(RESULT_ENDING))) continue;
      const isFile = entry.isFile() || (entry.isSymbolicLink() && (await isFileOrGone(join(folder, name))));
      if (isFile || entry.isDirectory()) entries.push({ name, isFolder: entry.isDirectory() });
    }
  } catch {
    foundImages.push({ name: folder, relativePath: below, mustBeImage: true });
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, isFolder } of entries) {
    const path = join(folder, name);
    const relativePath = join(below, name);
    if (isFolder) await searchFolder(path, relativePath, options, foundImages);
    else foundImages.push({ name: path, relativePath, mustBeImage: hasImageExtension(name) });
  }
}

/** Returns whether a link leads to a file. Also true for a broken link, because reading it reports the error. */
async function isFileOrGone(path: string): Promise<boolean> {
  return (await stat(toFilePath(path)).catch(() => null))?.isFile() ?? true;
}
