// Events of a running scan: scans know nothing of webhooks, a listener passes them on.
import type { Queries } from '../../storage/db/database.js';
import type { PresentedScan } from './present.js';

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

/** Whether a tenth of `items` lies between two counts of answers. */
export function passesTenth(items: number, before: number, after: number): boolean {
  return Math.floor((after * 10) / items) > Math.floor((before * 10) / items);
}
