// A scan: its rows as the database has them, and its shape as callers see it, where columns stay inside.
import { Type } from '@sinclair/typebox';
import { nullable, oneOf, type ReadonlyStatic } from 'telltale-engine/internal/base/shape.js';
import {
  PROFILE_NAMES,
  DETAIL_NAMES,
  type DetailName,
  type ProfileName,
} from 'telltale-engine/internal/check/types.js';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import type { Reservation } from '../../accounts/usage/reservations.js';

/** Where a scan stands, as callers see it. */
const SCAN_STATES = ['queued', 'running', 'finished', 'cancelled'] as const;
/** The state of a scan that callers see. */
type ScanState = (typeof SCAN_STATES)[number];

/** States in which items are still answered. */
export const LIVE_STATES: readonly ScanState[] = ['queued', 'running'];

/** A row of `scans`. */
export interface ScanRow {
  readonly id: string;
  readonly account_id: string;
  /** Null for one that a member began. */
  readonly key_id: string | null;
  /** Who began it in the console; null for one by key. */
  readonly member_id: string | null;
  /** What its list is called; null where it has no name, or none is kept. */
  readonly name: string | null;
  /** 1: a page sends its images one by one, so no worker fetches any. */
  readonly is_uploaded: number;
  readonly plan: string;
  readonly period: string;
  readonly profile: string;
  readonly include: string;
  /** `receiving` while its list comes in: nobody sees it then. */
  readonly state: ScanState | 'receiving';
  readonly reason: string | null;
  readonly items: number;
  readonly reserved: number;
  readonly next_position: number;
  readonly dealt_at: number;
  readonly answered: number;
  readonly checked: number;
  readonly errors: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** A row of `scan_items`. */
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

/** Entries without a result, by code. */
export type ErrorCounts = Partial<Record<ErrorCode, number>>;

/** The entries without a result of a scan, by code. */
export function readErrors(row: Pick<ScanRow, 'errors'>): ErrorCounts {
  return JSON.parse(row.errors) as ErrorCounts;
}

/** How the images of a scan are checked. */
export interface ScanOptions {
  readonly profile: ProfileName;
  readonly include: readonly DetailName[];
}

/** The options of a scan. */
export function readOptions(row: Pick<ScanRow, 'profile' | 'include'>): ScanOptions {
  const names = row.include.split(',');
  return {
    profile: PROFILE_NAMES.find((name) => name === row.profile) ?? 'balanced',
    include: DETAIL_NAMES.filter((name) => names.includes(name)),
  };
}

/** What a scan's checks are charged to. */
export function reservationOf(row: Pick<ScanRow, 'account_id' | 'plan' | 'period'>): Reservation {
  return { accountId: row.account_id, plan: row.plan, period: row.period };
}

/** True if items of the scan are still answered. */
export function isLive(row: Pick<ScanRow, 'state'>): boolean {
  return (LIVE_STATES as readonly string[]).includes(row.state);
}

const count = (description: string) => Type.Integer({ minimum: 0, description });
const moment = (description: string) => Type.String({ format: 'date-time', description });

/** A scan as callers see it. */
export const ScanSchema = Type.Object(
  {
    id: Type.String({ pattern: '^scn_[0-9A-HJKMNP-TV-Z]{26}$' }),
    state: oneOf(SCAN_STATES, 'items are answered while it is queued or running'),
    reason: nullable(Type.String({ description: 'why it was cancelled' })),
    counts: Type.Object({
      items: count('all of the list'),
      waiting: count('not answered yet'),
      checked: count('answered with a result; these are charged'),
      failed: count('answered with an error'),
      cancelled: count('never to be answered'),
    }),
    errors: Type.Unsafe<ErrorCounts>(
      Type.Record(Type.String(), Type.Integer(), { description: 'items that failed, by error code' }),
    ),
    items_per_second: nullable(Type.Number({ minimum: 0 })),
    seconds_left: nullable(count('at that rate')),
    created_at: moment('UTC'),
    started_at: nullable(moment('the first item was begun')),
    ended_at: nullable(moment('finished or cancelled')),
  },
  { $id: 'Scan' },
);

/** A scan as callers see it. */
export type PresentedScan = ReadonlyStatic<typeof ScanSchema>;

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
    created_at: toMoment(row.created_at),
    started_at: row.started_at === null ? null : toMoment(row.started_at),
    ended_at: row.ended_at === null ? null : toMoment(row.ended_at),
  };
}

function toMoment(ms: number): string {
  return new Date(ms).toISOString();
}
