// The key of records for commands, which run with a database and without.
import { stat } from 'node:fs/promises';
import type { Config } from '../../config.js';
import { openRecordKeys } from '../../service/record-keys/open-keys.js';
import type { RecordKeys } from '../../record/keys/keys.js';
import { withDatabase } from './open-database.js';

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
