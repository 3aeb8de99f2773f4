// Opens files that others named or placed: a pipe, a socket or a device would hang its reader, or never end.
import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { CheckError } from './errors.js';
import { toFilePath } from './file-names.js';

/**
 * Opens a regular file for reading. Rejects with CheckError `invalid_request` if it is a folder, a pipe, a socket or a
 * device, or as `open`.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // Looked at before, because opening alone may already wake a device, and after, because another may lie there by then.
  refuseOthers(await stat(toFilePath(path)));
  const file = await open(toFilePath(path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseOthers(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function refuseOthers(found: { isFile(): boolean; isDirectory(): boolean }): void {
  if (found.isFile()) return;
  const kind = found.isDirectory()
    ? 'a folder (EISDIR)'
    : 'a pipe, a socket or a device, and no regular file';
  throw new CheckError('invalid_request', `the file can't be read: it is ${kind}`);
}
