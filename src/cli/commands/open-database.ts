// Opening the database and the keys that sign records, for commands that may run while the service runs.
import type { Config } from '../../config.js';
import { ensureAccount, findAccount, type Account } from '../../accounts/accounts.js';
import type { Terminal } from '../terminal/terminal.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { openDatabase, type Database } from '../../storage/db/database.js';
import { migrate } from '../../storage/db/migrate.js';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { openRecordKeys } from '../../service/record-keys/open-keys.js';
import type { RecordKeys } from '../../record/keys/keys.js';

/**
 * Opens the configured database, updates its tables if necessary, runs `work` on it and closes it. The audit
 * log attributes changes to the user of the operating system.
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

/**
 * Returns the account named `name`. Creates it if needed, and says so on standard error, because the name may be
 * mistyped.
 */
export async function openAccount(database: Database, name: string, { err }: Terminal): Promise<Account> {
  const found = await findAccount(database, name);
  if (found) return found;
  const account = await ensureAccount(database, name);
  await err.writeLine(`telltale: the account '${visibleText(name)}' did not exist and was created`);
  return account;
}

/** Returns the name of the operating system's user. A container may have none. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Runs `work` with the keys that sign this installation's records. */
export async function withRecordKeys<T>(config: Config, work: (keys: RecordKeys) => Promise<T>): Promise<T> {
  if (config.recordKeyFile !== null || !(await hasDatabase(config)))
    return work(openRecordKeys(config, null));
  return withDatabase(config, (database) => work(openRecordKeys(config, database)));
}

/** Returns the keys that sign this installation's records, to create or verify records. */
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

/** Returns whether a database exists. Commands such as `telltale check` use it but must not create one. */
async function hasDatabase({ database }: Config): Promise<boolean> {
  if (database.kind === 'postgres') return true;
  return stat(database.path).then(
    () => true,
    () => false,
  );
}
