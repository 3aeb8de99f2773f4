// The parts that all code of scans shares, in a process that serves and in a worker.
import type { Database } from '../../storage/db/database.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { JobKind } from '../../storage/queue/job-kind.js';
import type { ScanListener } from './events.js';
import type { ItemBatch } from './item-batch.js';

/** Built once for each process. */
export interface ScanDeps {
  /** On PostgreSQL. */
  readonly database: Database;
  readonly queue: Queue;
  readonly turns: JobKind<ItemBatch>;
  readonly listener: ScanListener;
}
