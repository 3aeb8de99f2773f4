// The pictures that paths and folders of a command line stand for, in a fixed order.
import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

/** Extensions of the seven formats: in a folder, such a file is reported even where its content is none of them. */
const IMAGE_EXTENSIONS = new Set(
  '.jpg .jpeg .jpe .jfif .png .webp .avif .gif .bmp .dib .tif .tiff'.split(' '),
);

/** One file to read. */
export interface FoundPicture {
  /** As the user wrote it, or the folder as written and the path below it; `-` is standard input. */
  readonly name: string;
  /** Where to write something about it below another folder: the path below the folder that was named. */
  readonly relativePath: string;
  /**
   * False for a file met in a folder without the extension of a format: it is read where its content is an image, and
   * left out without a word where it is not.
   */
  readonly isAskedFor: boolean;
}

/** What leads to one file or several. */
export interface FindOptions {
  /** A folder that is not searched, such as the one that results are written to. */
  readonly except?: string | undefined;
  /** Stops the search; it then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Expands folders, in all depths, without hidden files and without following links to folders; the files of a folder
 * come sorted by name. A path that can't be read stays in the list: reading it reports why.
 */
export async function findPictures(paths: readonly string[], options: FindOptions): Promise<FoundPicture[]> {
  const except = options.except === undefined ? null : await realpath(options.except).catch(() => null);
  const found: FoundPicture[] = [];
  for (const path of paths) {
    const isFolder = path !== '-' && (await isDirectory(path));
    if (isFolder) await searchFolder(path, '', { except, signal: options.signal }, found);
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
  options: { readonly except: string | null; readonly signal: AbortSignal },
  found: FoundPicture[],
): Promise<void> {
  options.signal.throwIfAborted();
  const entries: { name: string; isFolder: boolean }[] = [];
  try {
    if (options.except !== null && (await realpath(folder)) === options.except) return;
    for await (const entry of await opendir(folder)) {
      if (entry.name.startsWith('.')) continue;
      const isFile =
        entry.isFile() || (entry.isSymbolicLink() && !(await isDirectory(join(folder, entry.name))));
      if (isFile || entry.isDirectory()) entries.push({ name: entry.name, isFolder: entry.isDirectory() });
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
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
