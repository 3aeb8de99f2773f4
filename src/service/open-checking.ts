// Tables and checker, as every process opens them that checks images of the service's callers.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createChecker, type Checker } from 'telltale-engine/internal/check/checker.js';
import { checkerSettings, type Config } from '../config.js';
import { openDatabase, type Database } from '../storage/db/database.js';
import { migrate } from '../storage/db/migrate.js';
import { closeDataFolder } from '../storage/private-files.js';
import type { Closers } from './closers.js';
import { startFollowing, whyFixed } from './own-thresholds/follow.js';

/** The database with all its tables, in a data folder that others can't read. Rejects with CheckError `unavailable`. */
export async function openTables(config: Config, closers: Closers): Promise<Database> {
  await closeDataFolder(config.dataDir);
  const database = await openDatabase(config.database);
  closers.add(() => database.close());
  await migrate(database);
  return database;
}

/** A checker that follows the thresholds that are active in the database. */
interface FollowingChecker {
  readonly checker: Checker;
  /** Why it does not follow, as half a sentence; null if it does. */
  readonly fixedBy: string | null;
}

/** `queueLimit`: as of an engine; default: its own. Rejects with StartError (models, device). */
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
