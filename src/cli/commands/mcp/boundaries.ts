// Restricting which files an assistant may read: only files below allowed folders, also through links.
import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { toFileName, toFilePath } from 'telltale-engine/internal/base/files.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';

/** Folders that an assistant may read: a file must be below one of `configuredFolders` and below one of `readRoots`. */
export interface Boundaries {
  /** Absolute folders from the command line. If empty, only the client's roots count. */
  readonly configuredFolders: readonly string[];
  /** Returns absolute folders that the client shares. Null if it names none: only `configuredFolders` counts. */
  readonly readRoots: () => Promise<readonly string[] | null>;
}

/** An allowed file or folder. */
interface FileInside {
  readonly realPath: string;
}

/**
 * Resolves a path, relative to the first folder. Rejects with CheckError `forbidden` if the path is outside
 * (then without touching the file system) or a link leads outside, and with `not_found` if nothing is there.
 */
export async function findInside(path: string, boundaries: Boundaries): Promise<FileInside> {
  const limits = await readLimits(boundaries);
  const [first] = limits.flat();
  if (first === undefined) throw outside(limits);
  const absolutePath = resolve(first, path);
  const real = await Promise.all(limits.map(realFolders));
  const isNamed = limits.every((folders, at) => isBelow(absolutePath, [...folders, ...(real[at] ?? [])]));
  if (!isNamed) throw outside(limits);
  const resolvedPath = await realpath(toFilePath(absolutePath), 'buffer').catch((cause: unknown) => {
    throw unreadable(cause);
  });
  const realPath = toFileName(resolvedPath);
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
    if (!(await handle.stat()).isFile()) throw invalidRequest('Expected the path of a file');
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
async function readLimits({
  configuredFolders,
  readRoots,
}: Boundaries): Promise<readonly (readonly string[])[]> {
  const clientRoots = await readRoots();
  if (clientRoots === null) return [configuredFolders];
  return configuredFolders.length === 0 ? [clientRoots] : [configuredFolders, clientRoots];
}

/** Resolves links in folders. Leaves out missing folders, which contain no files. */
async function realFolders(folders: readonly string[]): Promise<readonly string[]> {
  const realPaths = await Promise.all(
    folders.map((folder) => realpath(toFilePath(folder), 'buffer').then(toFileName, () => null)),
  );
  return realPaths.filter((folder) => folder !== null);
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const relativePath = relative(folder, path);
    return relativePath !== '..' && !relativePath.startsWith('../');
  });
}

function outside(limits: readonly (readonly string[])[]): CheckError {
  const folderLists = limits.filter((folders) => folders.length > 0).map((folders) => folders.join(', '));
  const advice =
    folderLists.length === limits.length
      ? `it may read files below ${folderLists.join(' and also below ')}`
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
  return invalidRequest(`the file can't be read (${String(code)})`, { cause });
}
