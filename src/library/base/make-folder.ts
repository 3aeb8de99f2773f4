// Makes folders. Node's own `mkdir` with `recursive` never returns where the system refuses one below a folder that is
// there, as /proc does.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CheckError } from './errors.js';
import { toFilePath } from './file-names.js';

/**
 * Makes a folder and its missing parents, while other processes may make the same ones. Keeps folders that exist. Rejects
 * as `mkdir`.
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

/** Makes a folder in an existing one. */
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

/** The refusal of a folder, or a file in it, that a caller named. Throws CheckError `invalid_request`. */
export function refuseToWrite(cause: NodeJS.ErrnoException): never {
  throw new CheckError('invalid_request', `the folder can't be written (${cause.code})`, { cause });
}
