// Restricting which files an assistant may read: only files below allowed folders, also through links.
import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { toFileName, toFilePath } from 'telltale-engine/internal/base/file-names.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** Folders that an assistant may read: a file must be below one of `named` and below one of `roots`. */
export interface Boundaries {
  /** Absolute folders from the command line. If empty, only the client's roots count. */
  readonly named: readonly string[];
  /** Returns absolute folders that the client shares. Null if it names none, so that only `named` counts. */
  readonly roots: () => Promise<readonly string[] | null>;
}

/** An allowed file or folder. */
interface Inside {
  readonly realPath: string;
}

/**
 * Resolves a path, relative to the first folder. Rejects with CheckError `forbidden` if the path is outside
 * (then without touching the file system) or a link leads outside, and with `not_found` if nothing is there.
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
 * Opens an allowed file and passes `work` a path to it. The path refers to the opened file even if another
 * file replaces it. Rejects as `findInside` and `work` do, and with CheckError `invalid_request` for anything
 * that is not a file.
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
    // Checked again, because a folder in the path may have become a link since the path was resolved.
    if (toFileName(await readlink(opened, 'buffer')) !== realPath) throw ledOutside();
    if (!(await handle.stat()).isFile())
      throw new CheckError('invalid_request', 'Expected the path of a file');
    return await work(opened);
  } finally {
    await handle.close();
  }
}

/** Opens a file without blocking, because opening a pipe would wait for somebody to write to it. */
function openFile(realPath: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(toFilePath(realPath), flags).catch((cause: unknown) => {
    throw unreadable(cause);
  });
}

/** Returns lists of allowed folders. A file must be in a folder of each list; empty lists allow none. */
async function readLimits({ named, roots }: Boundaries): Promise<readonly (readonly string[])[]> {
  const asked = await roots();
  if (asked === null) return [named];
  return named.length === 0 ? [asked] : [named, asked];
}

/** Resolves links in folders. Leaves out missing folders, which contain no files. */
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
  return new CheckError('forbidden', `The path is outside the folders that this server may read; ${advice}`);
}

function ledOutside(): CheckError {
  return new CheckError('forbidden', 'The path contains a link to a place that this server must not read');
}

function unreadable(cause: unknown): CheckError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new CheckError('not_found', 'there is no such file', { cause });
  if (code === 'ELOOP') return ledOutside();
  return new CheckError('invalid_request', `the file can't be read (${String(code)})`, { cause });
}
