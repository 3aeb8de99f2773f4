// The images that paths and folders of a command line stand for, in a fixed order.
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { toFileName, toFilePath } from 'telltale-engine/internal/base/file-names.js';

/** Extensions of the seven formats: in a folder, such a file is reported even if its content is none of them. */
const IMAGE_EXTENSIONS = new Set(
  '.jpg .jpeg .jpe .jfif .png .webp .avif .gif .bmp .dib .tif .tiff'.split(' '),
);

/** What the names of annotated images end in. */
export const RESULT_ENDING = '.annotated.png';

/** One file to read. */
export interface FoundImage {
  /** As the user wrote it, or the folder as written and the path below it; `-` is standard input. */
  readonly name: string;
  /** Where to write something about it below another folder: the path below the folder that was named. */
  readonly relativePath: string;
  /**
   * False for a file met in a folder without the extension of a format. It is read if its content is an image, and left
   * out without a word if it is not.
   */
  readonly isAskedFor: boolean;
}

/** What leads to one file or several. */
interface FindOptions {
  /** The folder that results are written to: not searched below a named one; named itself, without former results. */
  readonly resultsDir?: string | undefined;
  /** Stops the search; it then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Expands folders, in all depths. Hidden files, pipes, sockets and devices are left out, and links to folders are not
 * followed. The files of a folder come sorted by name. A path that can't be read stays in the list: reading it reports
 * why.
 */
export async function findImages(paths: readonly string[], options: FindOptions): Promise<FoundImage[]> {
  const { resultsDir, signal } = options;
  const results = resultsDir === undefined ? null : await realpath(toFilePath(resultsDir)).catch(() => null);
  const found: FoundImage[] = [];
  for (const path of paths) {
    const isFolder = path !== '-' && (await isDirectory(path));
    if (isFolder) await searchFolder(path, '', { results, signal }, found);
    else found.push({ name: path, relativePath: path === '-' ? 'stdin' : basename(path), isAskedFor: true });
  }
  return found;
}

/** Whether `name` ends in an extension of an accepted format. */
export function hasImageExtension(name: string): boolean {
  return IMAGE_EXTENSIONS.has(extname(name).toLowerCase());
}

async function searchFolder(
  folder: string,
  below: string,
  options: { readonly results: string | null; readonly signal: AbortSignal },
  found: FoundImage[],
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
    found.push({ name: folder, relativePath: below, isAskedFor: true });
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, isFolder } of entries) {
    const path = join(folder, name);
    const relativePath = join(below, name);
    if (isFolder) await searchFolder(path, relativePath, options, found);
    else found.push({ name: path, relativePath, isAskedFor: hasImageExtension(name) });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(toFilePath(path)).catch(() => null))?.isDirectory() ?? false;
}

/** A link that leads nowhere stays: reading it reports that. */
async function isFileOrGone(path: string): Promise<boolean> {
  return (await stat(toFilePath(path)).catch(() => null))?.isFile() ?? true;
}
