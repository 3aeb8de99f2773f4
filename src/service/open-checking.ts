// Opens the database and the checker, in every process that checks images for callers.
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
 * Opens and migrates the database. Makes the data folder readable only by its owner. Rejects with CheckError
 * `unavailable`.
 */
export async function openTables(config: Config, closers: Closers): Promise<Database> {
  await closeDataFolder(config.dataDir);
  const database = await openDatabase(config.database);
  closers.add(() => database.close());
  await migrate(database);
  return database;
}

/** A checker that applies newly activated thresholds from the database. */
interface FollowingChecker {
  readonly checker: Checker;
  /** Reason (part of a sentence) why settings fix the thresholds instead, or null if they do not. */
  readonly fixedBy: string | null;
}

/** Opens the checker. `queueLimit` defaults to the engine's. Rejects with StartError (models, device). */
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
