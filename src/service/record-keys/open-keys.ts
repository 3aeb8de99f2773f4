// Choosing the store of an installation's record keys.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import type { Database } from '../../storage/db/database.js';
import { openKeyFile, readKeyFile } from '../../record/keys/key-file.js';
import { openKeyTable } from './key-table.js';
import type { RecordKeys } from '../../record/keys/keys.js';

/**
 * Opens the keys: in the file of TELLTALE_RECORD_KEY if set, else in the database, or without one (null) in a file of
 * the data folder. A database takes over the keys of that file, so that a growing installation keeps its key in one
 * place.
 */
export function openRecordKeys(
  { recordKeyFile, dataDir }: Pick<Config, 'recordKeyFile' | 'dataDir'>,
  database: Database | null,
): RecordKeys {
  if (recordKeyFile !== null) return openKeyFile(recordKeyFile, false);
  const own = join(dataDir, 'record-key.pem');
  if (database === null) return openKeyFile(own, true);
  return openKeyTable(database, { read: () => readKeyFile(own), remove: () => rm(own, { force: true }) });
}
