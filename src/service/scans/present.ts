// A scan as callers see it: columns of the database stay inside.
import { readErrors, type ErrorCounts, type ScanRow, type ScanState } from './rows.js';

/** How many items are in which state. */
export interface ScanCounts {
  readonly items: number;
  /** Not answered yet. */
  readonly waiting: number;
  /** Answered with a result; these are charged. */
  readonly checked: number;
  /** Answered with an error. */
  readonly failed: number;
  /** Never to be answered, because the scan was cancelled. */
  readonly cancelled: number;
}

/** The scan of the interface. */
export interface PresentedScan {
  readonly id: string;
  readonly state: ScanState;
  /** Why it was cancelled; null if it was not. */
  readonly reason: string | null;
  readonly counts: ScanCounts;
  /** Items that failed, by error code. */
  readonly errors: ErrorCounts;
  /** Items answered a second since the first one was begun; null before. */
  readonly items_per_second: number | null;
  /** Seconds until the end at that rate; null if that can't be told, or it has ended. */
  readonly seconds_left: number | null;
  /** Moments in UTC. */
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

/** Shapes a scan as of `now`; `row` is not one that is still received. */
export function presentScan(row: ScanRow, now: Date): PresentedScan {
  const { items, answered, checked } = row;
  const left = items - answered;
  const isCancelled = row.state === 'cancelled';
  const errors = readErrors(row);
  const seconds = row.started_at === null ? 0 : ((row.ended_at ?? now.getTime()) - row.started_at) / 1000;
  // Lines that were refused when the list came in took no time.
  const rate = seconds > 0 && checked > 0 ? answered / seconds : null;
  return {
    id: row.id,
    state: row.state === 'receiving' ? 'queued' : row.state,
    reason: row.reason,
    counts: {
      items,
      waiting: isCancelled ? 0 : left,
      checked,
      failed: answered - checked,
      cancelled: isCancelled ? left : 0,
    },
    errors,
    items_per_second: rate === null ? null : Math.round(rate * 100) / 100,
    seconds_left: rate === null || row.ended_at !== null ? null : Math.ceil(left / rate),
    created_at: moment(row.created_at),
    started_at: row.started_at === null ? null : moment(row.started_at),
    ended_at: row.ended_at === null ? null : moment(row.ended_at),
  };
}

function moment(ms: number): string {
  return new Date(ms).toISOString();
}
