// What all code of scans shares, in a process that serves and in a worker: its parts, its events and its jobs.
import type { Database, Queries } from '../../storage/db/database.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { JobKind } from '../../storage/queue/job-kind.js';
import type { PresentedScan } from './scan.js';

/** Built once for each process. */
export interface ScanDeps {
  /** On PostgreSQL. */
  readonly database: Database;
  readonly queue: Queue;
  readonly turns: JobKind<ItemBatch>;
  readonly listener: ScanListener;
}

/** `scan.progress` at each tenth of the items; `scan.finished` at the end, cancelled or not: the scan's state tells. */
export interface ScanEvent {
  readonly type: 'scan.progress' | 'scan.finished';
  readonly accountId: string;
  readonly scan: PresentedScan;
}

/**
 * Hears of an event inside the transaction that brings it about. All that it writes by `queries` is committed with the
 * answers, once; if it rejects, nothing of the transaction happens.
 */
export type ScanListener = (queries: Queries, event: ScanEvent) => Promise<void>;

/** The items of a scan that a worker takes at once; those that are answered already are left out. */
export interface ItemBatch {
  readonly accountId: string;
  readonly slot: number;
  readonly scanId: string;
  /** First and last position. */
  readonly from: number;
  readonly to: number;
}
