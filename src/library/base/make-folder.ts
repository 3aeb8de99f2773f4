// Makes folders. Node's own `mkdir` with `recursive` never returns where the system refuses one below a folder that is
// there, as /proc does.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CheckError } from './errors.js';
import { toFilePath } from './file-names.js';

/** Makes a folder, and those above it that are missing; one that is there stays as it is. Rejects as `mkdir`. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(toFilePath(path), { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(path))) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || (await isFolder(parent))) throw error;
    await makeFolder(parent, mode);
    await makeFolder(path, mode);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(toFilePath(path)).catch(() => null))?.isDirectory() ?? false;
}

/** The refusal of a folder, or a file in it, that a caller named. Throws CheckError `invalid_request`. */
export function refuseToWrite(cause: NodeJS.ErrnoException): never {
  throw new CheckError('invalid_request', `the folder can't be written (${cause.code})`, { cause });
}
