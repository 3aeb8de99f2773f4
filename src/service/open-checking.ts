// Opening database and checker in every process that checks images of the service's callers.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createChecker, type Checker } from 'telltale-engine/internal/check/checker.js';
import { checkerSettings, type Config } from '../config.js';
import { openDatabase, type Database } from '../storage/db/database.js';
import { migrate } from '../storage/db/migrate.js';
import { closeDataFolder } from '../storage/private-files.js';
import type { Closers } from './closers.js';
import { startFollowing, whyFixed } from './own-thresholds/follow.js';

/**
 * Opens and migrates the database, in a data folder that only its owner can read. Rejects with CheckError
 * `unavailable`.
 */
export async function openTables(config: Config, closers: Closers): Promise<Database> {
  await closeDataFolder(config.dataDir);
  const database = await openDatabase(config.database);
  closers.add(() => database.close());
  await migrate(database);
  return database;
}

/** A checker that follows the active thresholds in the database. */
interface FollowingChecker {
  readonly checker: Checker;
  /** Reason why it does not follow them, as half a sentence, or null. */
  readonly fixedBy: string | null;
}

/** Opens the checker. `queueLimit` defaults to the engine's own. Rejects with StartError (models, device). */
export async function openChecker(
  config: Config,
  parts: {
    readonly database: Database;
    readonly log: Logger;
    readonly closers: Closers;
    readonly queueLimit?: number;
  },
): Promise<FollowingChecker> {
  const { database, log, closers, queueLimit } = parts;
  const checker = await createChecker({
    ...checkerSettings(config),
    device: config.device,
    ...(queueLimit !== undefined && { queueLimit }),
    cacheDir: join(config.dataDir, 'engine-cache'),
  });
  closers.add(() => checker.close());
  const { engine, calibration } = checker;
  const fixedBy = whyFixed(config);
  if (fixedBy === null) closers.add(await startFollowing({ database, engine, calibration, log }));
  return { checker, fixedBy };
}
