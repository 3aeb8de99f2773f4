// Creating folders. Node's recursive `mkdir` never returns below an existing folder that refuses new ones, such as
// /proc.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CheckError } from './errors.js';
import { toFilePath } from './file-names.js';

/**
 * Creates a folder and its missing parents, also while other processes create the same ones. Keeps existing folders.
 * Rejects as `mkdir` does.
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

/** Creates a folder in an existing one. */
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

/** Throws CheckError `invalid_request` for a folder, or a file in it, that can't be written. */
export function refuseToWrite(cause: NodeJS.ErrnoException): never {
  throw new CheckError('invalid_request', `the folder can't be written (${cause.code})`, { cause });
}
