// The database for commands that manage accounts and keys.
import type { Config } from '../../config.js';
import { openDatabase, type Database } from '../../storage/db/database.js';
import { migrate } from '../../storage/db/migrate.js';

/** Runs `work` on the configured database, its tables brought up to date, and closes it. */
export async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(config.database);
  try {
    await migrate(database);
    return await work(database);
  } finally {
    await database.close();
  }
}
