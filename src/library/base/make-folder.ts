// Creating folders with their parents. Node's recursive `mkdir` is not used, because it never returns if an
// existing parent, such as /proc, refuses new folders.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CheckError } from './errors.js';
import { toFilePath } from './file-names.js';

/**
 * Creates a folder and its missing parents. Existing folders are no error, even if another process creates
 * them concurrently. Rejects with the errors of `mkdir`.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent, mode);
    await makeOne(path, mode);
  }
}

/** Creates one folder, whose parent must exist. */
async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(toFilePath(path), { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(toFilePath(path)).catch(() => null))?.isDirectory() ?? false;
}

/** Throws CheckError `invalid_request` with the reason why a folder, or a file in it, can't be written. */
export function refuseToWrite(cause: NodeJS.ErrnoException): never {
  throw new CheckError('invalid_request', `the folder can't be written (${cause.code})`, { cause });
}
