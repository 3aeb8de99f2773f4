// Limits on the files that an assistant may read: files below named folders, with links resolved.
import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { toFileName, toFilePath } from 'telltale-engine/internal/base/file-names.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** Limits that apply together: a file must be below one of `named` and below one of the client's roots. */
export interface Boundaries {
  /** Absolute folders from the command line; if empty, only the client's roots apply. */
  readonly named: readonly string[];
  /** Returns absolute folders from the client, or null if the client names none and only `named` applies. */
  readonly roots: () => Promise<readonly string[] | null>;
}

/** A file or folder within the limits, with links resolved. */
interface Inside {
  readonly realPath: string;
}

/**
 * Resolves `path`, relative to the first folder. Rejects with CheckError `forbidden` for a path outside, without
 * looking at the file system, or if a link leads outside, and with `not_found` if nothing is there.
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
 * Opens a file within the limits and passes `work` a path that refers to the opened file even if another file replaces
 * it. Rejects as `findInside` and `work` do, and with CheckError `invalid_request` if it is not a file.
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
    // A folder in the path may have been replaced by a link after the path was resolved.
    if (toFileName(await readlink(opened, 'buffer')) !== realPath) throw ledOutside();
    if (!(await handle.stat()).isFile()) throw new CheckError('invalid_request', 'this is no file');
    return await work(opened);
  } finally {
    await handle.close();
  }
}

/** Opens without blocking, because opening a pipe would wait for its other end. */
function openFile(realPath: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(toFilePath(realPath), flags).catch((cause: unknown) => {
    throw unreadable(cause);
  });
}

/** Returns the lists of folders. A file must be in one folder of each list; an empty list allows no file. */
async function readLimits({ named, roots }: Boundaries): Promise<readonly (readonly string[])[]> {
  const asked = await roots();
  if (asked === null) return [named];
  return named.length === 0 ? [asked] : [named, asked];
}

/** A missing folder contains no files. */
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
