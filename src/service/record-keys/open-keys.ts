// Chooses where the keys that sign records are stored: a file or the database.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import type { Database } from '../../storage/db/database.js';
import { openKeyFile, readKeyFile } from '../../record/keys/key-file.js';
import { openKeyTable } from './key-table.js';
import type { RecordKeys } from '../../record/keys/keys.js';

/**
 * Opens the keys that sign records. They are in the file TELLTALE_RECORD_KEY if set, else in `database`, or
 * without a database in a file in the data folder. A database takes over the keys of that file, so that an
 * installation that grows keeps its key.
 */
export function openRecordKeys(
  { recordKeyFile, dataDir }: Pick<Config, 'recordKeyFile' | 'dataDir'>,
  database: Database | null,
): RecordKeys {
  if (recordKeyFile !== null) return openKeyFile(recordKeyFile, false);
  const defaultFile = join(dataDir, 'record-key.pem');
  if (database === null) return openKeyFile(defaultFile, true);
  return openKeyTable(database, {
    read: () => readKeyFile(defaultFile),
    remove: () => rm(defaultFile, { force: true }),
  });
}
