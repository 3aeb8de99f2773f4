// Files and folders for this user alone: they hold keys, secrets and images of others.
import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { makeFolder } from 'telltale-engine/internal/base/make-folder.js';

/** Mode of a file that its user alone reads and writes. */
export const PRIVATE_FILE = 0o600;
/** Mode of a folder that its user alone enters. */
const PRIVATE_FOLDER = 0o700;

/** No start fails of these: the path is not there, it is another user's, or its disk knows no modes. */
const LEFT_ALONE = ['ENOENT', 'EPERM', 'EROFS', 'ENOTSUP'];

/**
 * Makes a folder, with those above it that are missing, for this user alone; one that is there stays as it is. Rejects
 * with StartError `config_invalid` if it can't be made.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path, PRIVATE_FOLDER);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StartError('config_invalid', `the folder ${path} can't be made (${code})`, { cause });
  }
}

const FORBIDDEN = ['EACCES', 'EPERM', 'EROFS'];

/**
 * Makes an empty file for this user alone; one that is there stays as it is. Throws StartError `config_invalid` where
 * this user may not make it. If it fails otherwise, the call that opens it says so.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (FORBIDDEN.includes(code))
      throw new StartError('config_invalid', `the file ${path} can't be made (${code})`, { cause });
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

const DATA_FOLDERS = ['images', 'engine-cache'];
const DATA_FILES = ['telltale.sqlite', 'telltale.sqlite-wal', 'telltale.sqlite-shm', 'record-key.pem'];

/**
 * Makes the data folder if it is missing, and closes it and what the service keeps there, also where a version before 1.1
 * made it for everybody's eyes. The trust lists below it stay as they are: they are public. Rejects as
 * `makePrivateFolder`.
 */
export async function closeDataFolder(dataDir: string): Promise<void> {
  await makePrivateFolder(dataDir);
  setMode(dataDir, PRIVATE_FOLDER);
  for (const name of DATA_FOLDERS) setMode(join(dataDir, name), PRIVATE_FOLDER);
  for (const name of DATA_FILES) setMode(join(dataDir, name), PRIVATE_FILE);
}
