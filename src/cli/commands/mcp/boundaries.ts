// Which files an assistant may have read: those below named folders, wherever links lead.
import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { toFileName, toFilePath } from 'telltale-engine/internal/base/file-names.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** Folders that bound each other: a file that is read lies below one of `named` and below one of the client's roots. */
export interface Boundaries {
  /** Absolute folders of the command line; empty: the client's roots alone decide. */
  readonly named: readonly string[];
  /** Absolute folders that the client names; null: it names none, and `named` alone decides. */
  readonly roots: () => Promise<readonly string[] | null>;
}

/** A file or folder within the boundaries, links resolved. */
interface Inside {
  readonly realPath: string;
}

/**
 * Resolves `path`; a relative one is below the first folder. Rejects with CheckError `forbidden` for a path outside,
 * before the file system is asked about it, or if a link leads outside. `not_found` if nothing is there.
 */
export async function findInside(path: string, boundaries: Boundaries): Promise<Inside> {
  const limits = await readLimits(boundaries);
  const [first] = limits.flat();
  if (first === undefined) throw outside(limits);
  const asked = resolve(first, path);
  const real = await Promise.all(limits.map(realFolders));
  const isNamed = limits.every((folders, at) => isBelow(asked, [...folders, ...(real[at] ?? [])]));
  if (!isNamed) throw outside(limits);
  const found = await realpath(toFilePath(asked), 'buffer').catch((cause: unknown) => {
    throw unreadable(cause);
  });
  const realPath = toFileName(found);
  if (!real.every((folders) => isBelow(realPath, folders))) throw ledOutside();
  return { realPath };
}

/**
 * Opens a file within the boundaries. `work` gets a path that stands for the very file that was opened, whatever is put
 * in its place meanwhile. Rejects as `findInside`, with CheckError `invalid_request` if it is no file, or as `work`.
 */
export async function withFileInside<T>(
  path: string,
  boundaries: Boundaries,
  work: (opened: string) => Promise<T>,
): Promise<T> {
  const { realPath } = await findInside(path, boundaries);
  const handle = await openFile(realPath);
  try {
    const opened = `/proc/self/fd/${handle.fd}`;
    // A folder of the path may have become a link since it was resolved.
    if (toFileName(await readlink(opened, 'buffer')) !== realPath) throw ledOutside();
    if (!(await handle.stat()).isFile()) throw new CheckError('invalid_request', 'this is no file');
    return await work(opened);
  } finally {
    await handle.close();
  }
}

/** Not blocking: opening a pipe would wait for its other end. */
function openFile(realPath: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(toFilePath(realPath), flags).catch((cause: unknown) => {
    throw unreadable(cause);
  });
}

/** The lists of folders. One folder of each list has to hold the file; an empty list allows nothing. */
async function readLimits({ named, roots }: Boundaries): Promise<readonly (readonly string[])[]> {
  const asked = await roots();
  if (asked === null) return [named];
  return named.length === 0 ? [asked] : [named, asked];
}

/** A folder that is not there holds nothing. */
async function realFolders(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    folders.map((folder) => realpath(toFilePath(folder), 'buffer').then(toFileName, () => null)),
  );
  return found.filter((folder) => folder !== null);
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way !== '..' && !way.startsWith('../');
  });
}

function outside(limits: readonly (readonly string[])[]): CheckError {
  const named = limits.filter((folders) => folders.length > 0).map((folders) => folders.join(', '));
  const advice =
    named.length === limits.length
      ? `it may read files below ${named.join(' and also below ')}`
      : 'it may read no files: name folders on its command line, or let the assistant share its roots';
  return new CheckError('forbidden', `the path is outside what this server may read; ${advice}`);
}

function ledOutside(): CheckError {
  return new CheckError('forbidden', 'a link leads out of what this server may read; it is not followed');
}

function unreadable(cause: unknown): CheckError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new CheckError('not_found', 'there is no such file', { cause });
  if (code === 'ELOOP') return ledOutside();
  return new CheckError('invalid_request', `the file can't be read (${String(code)})`, { cause });
}
