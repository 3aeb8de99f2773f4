// Opens the queue and the object store for scans, which require PostgreSQL.
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Database } from '../storage/db/database.js';
import type { ScanServices } from './services.js';
import { openQueue } from '../storage/queue/queue.js';
import { createItemBatchKind } from './scans/item-batches.js';
import { DELIVERY_JOBS } from './webhooks/deliveries.js';
import { createWebhookNotifier } from './webhooks/work.js';

/** Dependencies of the HTTP routes for scans. */
export interface Scans extends ScanServices {
  close(): Promise<void>;
}

/** Opens scans, or returns null on SQLite, which has no scans. Rejects with CheckError `unavailable`. */
export async function openScans(config: Config, database: Database, log: Logger): Promise<Scans | null> {
  if (config.database.kind !== 'postgres') return null;
  const { store } = config;
  const queue = await openQueue(config.database.url, (error) =>
    log.warn({ err: error }, 'a fault of the queue'),
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
