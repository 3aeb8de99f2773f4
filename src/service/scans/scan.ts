// A scan: its database rows, its form in responses, and types that the service and scan workers share.
import { Type } from '@sinclair/typebox';
import { named, nullable, oneOf, type ReadonlyStatic } from 'telltale-engine/internal/base/shape.js';
import {
  PROFILE_NAMES,
  DETAIL_NAMES,
  type DetailName,
  type ProfileName,
} from 'telltale-engine/internal/check/types.js';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import type { OutcomeCounts } from '../../accounts/history/tally.js';
import type { Reservation } from '../../accounts/usage/reservations.js';
import type { Database, Queries } from '../../storage/db/database.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { JobKind } from '../../storage/queue/job-kind.js';

/** States of a scan that callers see. */
const SCAN_STATES = ['queued', 'running', 'finished', 'cancelled'] as const;
type ScanState = (typeof SCAN_STATES)[number];

/** States in which items are still checked. */
export const LIVE_STATES: readonly ScanState[] = ['queued', 'running'];

/** Row of the table `scans`. */
export interface ScanRow {
  readonly id: string;
  readonly account_id: string;
  /** API key that started the scan, or null if a member started it. */
  readonly key_id: string | null;
  /** Member who started the scan, or null if an API key started it. */
  readonly member_id: string | null;
  /** Display name of the list, or null. */
  readonly name: string | null;
  /** 1 if a browser page uploads the images one by one, so that no worker fetches them. */
  readonly is_uploaded: number;
  readonly plan: string;
  readonly period: string;
  readonly profile: string;
  readonly include: string;
  /** State; `receiving` while the list arrives and callers do not see the scan. */
  readonly state: ScanState | 'receiving';
  readonly reason: string | null;
  readonly items: number;
  readonly reserved: number;
  readonly next_position: number;
  readonly dealt_at: number;
  readonly answered: number;
  readonly checked: number;
  readonly errors: string;
  /** Number of checks by outcome as JSON; null for scans that Telltale before 1.3 created. */
  readonly assessments: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** Row of the table `scan_items`. */
export interface ItemRow {
  readonly scan_id: string;
  readonly position: number;
  readonly line: number;
  readonly address: string | null;
  readonly ref: string | null;
  readonly tries: number;
  readonly number: number | null;
  readonly body: string | null;
}

/** Number of failed items by error code. */
export type ErrorCounts = Partial<Record<ErrorCode, number>>;

/** Returns the number of failed items of a scan by error code. */
export function readErrors(row: Pick<ScanRow, 'errors'>): ErrorCounts {
  return JSON.parse(row.errors) as ErrorCounts;
}

/** Returns the number of a scan's checks by outcome; null for scans that Telltale before 1.3 created. */
export function readAssessments({ assessments }: Pick<ScanRow, 'assessments'>): OutcomeCounts | null {
  const none = { likely_ai: 0, unclear: 0, no_ai_detected: 0, overturned: 0 };
  return assessments === null ? null : { ...none, ...(JSON.parse(assessments) as Partial<OutcomeCounts>) };
}

/** Options for the checks of a scan's items. */
export interface ScanOptions {
  readonly profile: ProfileName;
  readonly include: readonly DetailName[];
}

/** Reads the options from a scan's row. */
export function readOptions(row: Pick<ScanRow, 'profile' | 'include'>): ScanOptions {
  const names = row.include.split(',');
  return {
    profile: PROFILE_NAMES.find((name) => name === row.profile) ?? 'balanced',
    include: DETAIL_NAMES.filter((name) => names.includes(name)),
  };
}

/** Returns the reserved quota that the scan's checks are charged to. */
export function reservationOf(row: Pick<ScanRow, 'account_id' | 'plan' | 'period'>): Reservation {
  return { accountId: row.account_id, plan: row.plan, period: row.period };
}

/** Returns whether the scan still checks items. */
export function isLive(row: Pick<ScanRow, 'state'>): boolean {
  return (LIVE_STATES as readonly string[]).includes(row.state);
}

const count = (description: string) => Type.Integer({ minimum: 0, description });
const moment = (description: string) => Type.String({ format: 'date-time', description });

const AssessmentCounts = Type.Object(
  {
    likely_ai: count('number of images with the headline AI detected'),
    unclear: count('number of images with the headline Unclear'),
    no_ai_detected: count('number of images with the headline No AI detected'),
    overturned: count('number of images whose verdict an appeal overturned; the other counts omit them'),
  },
  { description: 'number of checked images by headline; null for scans of Telltale before 1.3' },
);

/** Schema of a scan in responses. */
export const ScanSchema = Type.Object(
  {
    id: Type.String({ pattern: '^scn_[0-9A-HJKMNP-TV-Z]{26}$' }),
    state: named(
      'ScanState',
      oneOf(SCAN_STATES, 'state of the scan; items are checked while it is queued or running'),
    ),
    reason: nullable(Type.String({ description: 'reason why the scan was cancelled; null if it was not' })),
    counts: Type.Object({
      items: count('number of items in the list'),
      waiting: count('number of items without a result or an error yet'),
      checked: count('number of items with a result, which are charged'),
      failed: count('number of items with an error'),
      cancelled: count('number of items that were not checked because the scan was cancelled'),
    }),
    errors: Type.Unsafe<ErrorCounts>(
      Type.Record(Type.String(), Type.Integer(), {
        description: 'number of items with an error, by error code',
      }),
    ),
    assessments: nullable(AssessmentCounts),
    items_per_second: nullable(
      Type.Number({ minimum: 0, description: 'mean rate since the start; null before the first result' }),
    ),
    seconds_left: nullable(
      count('estimated seconds until the end, at items_per_second; null if unknown or after the end'),
    ),
    created_at: moment('time at which the scan was created, UTC'),
    started_at: nullable(moment('time at which work on the first item began; null before')),
    ended_at: nullable(moment('time at which the scan finished or was cancelled; null before')),
  },
  { $id: 'Scan' },
);

/** A scan in responses. */
export type PresentedScan = ReadonlyStatic<typeof ScanSchema>;

/** Returns a scan as callers see it at the time `now`. Requires that its list has been received. */
export function presentScan(row: ScanRow, now: Date): PresentedScan {
  const { items, answered, checked } = row;
  const remainingItems = items - answered;
  const isCancelled = row.state === 'cancelled';
  const errors = readErrors(row);
  const seconds = row.started_at === null ? 0 : ((row.ended_at ?? now.getTime()) - row.started_at) / 1000;
  // Without a checked item there is no rate, because items refused while the list was received took no time.
  const rate = seconds > 0 && checked > 0 ? answered / seconds : null;
  return {
    id: row.id,
    state: row.state === 'receiving' ? 'queued' : row.state,
    reason: row.reason,
    counts: {
      items,
      waiting: isCancelled ? 0 : remainingItems,
      checked,
      failed: answered - checked,
      cancelled: isCancelled ? remainingItems : 0,
    },
    errors,
    assessments: readAssessments(row),
    items_per_second: rate === null ? null : Math.round(rate * 100) / 100,
    seconds_left: rate === null || row.ended_at !== null ? null : Math.ceil(remainingItems / rate),
    created_at: toMoment(row.created_at),
    started_at: row.started_at === null ? null : toMoment(row.started_at),
    ended_at: row.ended_at === null ? null : toMoment(row.ended_at),
  };
}

function toMoment(ms: number): string {
  return new Date(ms).toISOString();
}

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
