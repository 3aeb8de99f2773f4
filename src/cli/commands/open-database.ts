// The database, and the keys of records, for commands that run beside the service.
import type { Config } from '../../config.js';
import { openDatabase, type Database } from '../../storage/db/database.js';
import { migrate } from '../../storage/db/migrate.js';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { openRecordKeys } from '../../service/record-keys/open-keys.js';
import type { RecordKeys } from '../../record/keys/keys.js';

/**
 * Runs `work` on the configured database, its tables brought up to date, and closes it. What it changes, the audit log
 * says, the user of the operating system changed.
 */
export async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(config.database);
  try {
    await migrate(database);
    return await work(database.by({ kind: 'command', name: readUserName(), accountId: null, address: null }));
  } finally {
    await database.close();
  }
}

/** In a container the user may have no name. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Runs `work` with the installation's keys. */
export async function withRecordKeys<T>(config: Config, work: (keys: RecordKeys) => Promise<T>): Promise<T> {
  if (config.recordKeyFile !== null || !(await hasDatabase(config)))
    return work(openRecordKeys(config, null));
  return withDatabase(config, (database) => work(openRecordKeys(config, database)));
}

/** The keys as they are now, for a command that makes or verifies records. */
export function loadRecordKeys(config: Config): Promise<RecordKeys> {
  return withRecordKeys(config, async (keys) => {
    const [signer, publicKeys] = [await keys.signer(), await keys.publicKeys()];
    return {
      signer: () => Promise.resolve(signer),
      publicKeys: () => Promise.resolve(publicKeys),
      rotate: () => Promise.reject(new Error('these keys are a copy')),
      revoke: () => Promise.reject(new Error('these keys are a copy')),
    };
  });
}

/** A command makes no database: `telltale check` leaves nothing behind but what it is asked for. */
async function hasDatabase({ database }: Config): Promise<boolean> {
  if (database.kind === 'postgres') return true;
  return stat(database.path).then(
    () => true,
    () => false,
  );
}
