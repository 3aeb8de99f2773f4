// Types that the service and scan workers share: dependencies, events and jobs.
import type { Database, Queries } from '../../storage/db/database.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { JobKind } from '../../storage/queue/job-kind.js';
import type { PresentedScan } from './scan.js';

/** Dependencies of all code for scans, created once per process. */
export interface ScanDeps {
  /** Database, which must be PostgreSQL. */
  readonly database: Database;
  readonly queue: Queue;
  readonly itemBatchKind: JobKind<ItemBatch>;
  readonly listener: ScanListener;
}

/** Event of a scan: `scan.progress` at each tenth of the items, `scan.finished` at the end or after a cancellation. */
export interface ScanEvent {
  readonly type: 'scan.progress' | 'scan.finished';
  readonly accountId: string;
  readonly scan: PresentedScan;
}

/**
 * Function that handles an event inside the transaction that causes the event. Its writes by `queries` are
 * committed with the results. If it rejects, the transaction is rolled back.
 */
export type ScanListener = (queries: Queries, event: ScanEvent) => Promise<void>;

/** Items of a scan for a worker to check. Items that have a result are skipped. */
export interface ItemBatch {
  readonly accountId: string;
  readonly slot: number;
  readonly scanId: string;
  /** First and last position of the batch. */
  readonly from: number;
  readonly to: number;
}
