// Puts together what the service needs for scans, where it can have them.
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { Database } from './db/database.js';
import type { ScanRouteDeps } from './http/routes/scans.js';
import { openQueue } from './queue/queue.js';
import { noListener } from './scans/events.js';
import { createTurnKind } from './scans/turns.js';

/** Scans over HTTP. */
export interface Scans extends ScanRouteDeps {
  close(): Promise<void>;
}

/** Null on SQLite, where scans are not offered. Rejects with CheckError `unavailable`. */
export async function openScans(config: Config, database: Database, log: Logger): Promise<Scans | null> {
  if (config.database.kind !== 'postgres') return null;
  const { store } = config;
  const queue = await openQueue(config.database.url, (error) =>
    log.warn({ err: error }, 'a fault of the queue'),
  );
  const turns = createTurnKind(config.deadlineMs);
  await queue.define(turns);
  const objects =
    store.kind === 's3'
      ? (await import('./store/s3-source.js')).createS3Source(store.bucket, store.prefix)
      : null;
  return {
    database,
    queue,
    turns,
    listener: noListener,
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
