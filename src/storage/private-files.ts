// Files and folders for this user alone: they hold keys, secrets and pictures of others.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';

/** Mode of a file that its user alone reads and writes. */
export const PRIVATE_FILE = 0o600;
/** Mode of a folder that its user alone enters. */
export const PRIVATE_FOLDER = 0o700;

/** No start fails of these: the path is not there, it is another user's, or its disk knows no modes. */
const LEFT_ALONE = ['ENOENT', 'EPERM', 'EROFS', 'ENOTSUP'];

/** Makes a folder, with those above it that are missing, for this user alone; one that is there stays as it is. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
}

/**
 * Makes an empty file for this user alone; one that is there stays as it is. If it can't be made, the call that opens
 * it says so.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch {
    // It is there, or its opener finds the same fault and has the words for it.
  }
}

/** Gives a path this mode, unless it is missing or another user's. */
export function setMode(path: string, mode: typeof PRIVATE_FILE | typeof PRIVATE_FOLDER): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!LEFT_ALONE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
