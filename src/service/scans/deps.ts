// Dependencies, events and jobs that all code of scans shares, in the service and in workers.
import type { Database, Queries } from '../../storage/db/database.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { JobKind } from '../../storage/queue/job-kind.js';
import type { PresentedScan } from './scan.js';

/** Dependencies that are created once per process. */
export interface ScanDeps {
  /** PostgreSQL database. */
  readonly database: Database;
  readonly queue: Queue;
  readonly turns: JobKind<ItemBatch>;
  readonly listener: ScanListener;
}

/** Event of a scan: `scan.progress` at each tenth of the items, `scan.finished` at the end or after a cancellation. */
export interface ScanEvent {
  readonly type: 'scan.progress' | 'scan.finished';
  readonly accountId: string;
  readonly scan: PresentedScan;
}

/**
 * Handles an event inside the transaction that causes it. Writes by `queries` are committed with the answers; a
 * rejection rolls back the transaction.
 */
export type ScanListener = (queries: Queries, event: ScanEvent) => Promise<void>;

/** Batch of items for a worker. Answered items are skipped. */
export interface ItemBatch {
  readonly accountId: string;
  readonly slot: number;
  readonly scanId: string;
  /** First and last position of the batch. */
  readonly from: number;
  readonly to: number;
}
