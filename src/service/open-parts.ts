// Opens the database, the checker, and the queue and object store for scans, in processes that check images for callers.
// Closes everything that a process has opened, last opened first.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createChecker, type Checker } from 'telltale-engine/internal/check/checker.js';
import { checkerSettings, type Config } from '../config.js';
import { openDatabase, type Database } from '../storage/db/database.js';
import { migrate } from '../storage/db/migrate.js';
import { closeDataFolder } from '../storage/private-files.js';
import { startFollowing, explainFixed } from './own-thresholds/follow.js';
import type { ScanServices } from './services.js';
import { openQueue } from '../storage/queue/queue.js';
import { createItemBatchKind } from './scans/item-batches.js';
import { DELIVERY_JOBS } from './webhooks/deliveries.js';
import { createWebhookNotifier } from './webhooks/work.js';

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
  const fixedBy = explainFixed(config);
  if (fixedBy === null) closers.add(await startFollowing({ database, engine, calibration, log }));
  return { checker, fixedBy };
}

/** Dependencies of the HTTP routes for scans. */
export interface Scans extends ScanServices {
  close(): Promise<void>;
}

/** Opens scans, or returns null on SQLite, which has no scans. Rejects with CheckError `unavailable`. */
export async function openScans(config: Config, database: Database, log: Logger): Promise<Scans | null> {
  if (config.database.kind !== 'postgres') return null;
  const { store } = config;
  const queue = await openQueue(config.database.url, (error) =>
    log.warn({ err: error }, 'an error of the job queue'),
  );
  const itemBatchKind = createItemBatchKind(config.deadlineMs);
  try {
    await queue.define(itemBatchKind);
    await queue.define(DELIVERY_JOBS);
  } catch (error) {
    // The queue's timers would keep a process alive that failed to start.
    await queue.close();
    throw error;
  }
  const objects =
    store.kind === 's3'
      ? (await import('../storage/images/s3-source.js')).createS3Source(store.bucket)
      : null;
  return {
    database,
    queue,
    itemBatchKind,
    listener: createWebhookNotifier(queue),
    store,
    objects,
    profile: config.profile,
    deadlineMs: config.deadlineMs,
    async close() {
      objects?.close();
      await queue.close();
    },
  };
}

/** Functions that close what a process has opened, in the order of opening. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];

  /** Adds a function that closes an opened object; it may return a promise. */
  add(closer: () => unknown): void {
    this.#closers.push(closer);
  }

  /**
   * Closes everything, last opened first; safe to call twice. After an error, still runs the other functions.
   * Then rejects with the error, or with an AggregateError of several errors.
   */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const closer of this.#closers.splice(0).reverse()) {
      try {
        await closer();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1)
      throw new AggregateError(errors, `${errors.length} parts of the process did not close`);
    if (errors.length > 0) throw errors[0];
  }
}

/**
 * Returns the result of `build`. If `build` rejects, closes what it has opened and rejects with its error.
 */
export async function buildOrClose<T>(build: (closers: Closers) => Promise<T>): Promise<T> {
  const closers = new Closers();
  try {
    return await build(closers);
  } catch (error) {
    // Ignores errors of closing, so that the caller gets the original error.
    await closers.close().catch(() => undefined);
    throw error;
  }
}
