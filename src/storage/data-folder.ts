// The data folder is for its user alone, one that a version before 1.1 made for everybody's eyes too.
import { join } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE, PRIVATE_FOLDER, setMode } from './private-files.js';

const FOLDERS = ['images', 'engine-cache'];
const FILES = ['telltale.sqlite', 'telltale.sqlite-wal', 'telltale.sqlite-shm', 'record-key.pem'];

/**
 * Makes the folder if it is missing, and closes it and what the service keeps there. The trust lists below it stay as
 * they are: they are public. Throws the file system's error if the folder can't be made.
 */
export function closeDataFolder(dataDir: string): void {
  makePrivateFolder(dataDir);
  setMode(dataDir, PRIVATE_FOLDER);
  for (const name of FOLDERS) setMode(join(dataDir, name), PRIVATE_FOLDER);
  for (const name of FILES) setMode(join(dataDir, name), PRIVATE_FILE);
}
