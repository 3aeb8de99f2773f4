// Creates files and folders that only this user may read, because they contain keys, secrets and images of customers.
import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { makeFolder } from 'telltale-engine/internal/base/files.js';

/** Mode of a file that only its owner may read and write. */
export const PRIVATE_FILE = 0o600;
/** Mode of a folder that only its owner may enter. */
const PRIVATE_FOLDER = 0o700;

/** Codes of ignored errors: the path does not exist, belongs to another user, or is on a file system without modes. */
const LEFT_ALONE = ['ENOENT', 'EPERM', 'EROFS', 'ENOTSUP'];

/**
 * Creates a folder and its missing parent folders for this user only. An existing folder stays unchanged. Rejects with
 * StartError `config_invalid` if the folder can't be created.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path, PRIVATE_FOLDER);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StartError('config_invalid', `the folder ${path} can't be created (${code})`, { cause });
  }
}

const FORBIDDEN = ['EACCES', 'EPERM', 'EROFS'];

/**
 * Creates an empty file for this user only. An existing file stays unchanged. Throws StartError `config_invalid` if
 * this user may not create it. Ignores other errors, because opening the file reports them.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (FORBIDDEN.includes(code))
      throw new StartError('config_invalid', `the file ${path} can't be created (${code})`, { cause });
  }
}

/** Sets the mode of a path, unless it is missing or belongs to another user. */
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
 * Creates the data folder if it is missing. Makes the folder and the service's files in it private, because versions
 * before 1.1 let everybody read them. Trust lists stay public. Rejects like `makePrivateFolder`.
 */
export async function closeDataFolder(dataDir: string): Promise<void> {
  await makePrivateFolder(dataDir);
  setMode(dataDir, PRIVATE_FOLDER);
  for (const name of DATA_FOLDERS) setMode(join(dataDir, name), PRIVATE_FOLDER);
  for (const name of DATA_FILES) setMode(join(dataDir, name), PRIVATE_FILE);
}
