// The rows of a scan as the database has them, typed in one place for reading and writing.
import { PROFILE_NAMES, DETAIL_NAMES, type DetailName, type ProfileName } from '../../check/types.js';
import type { ErrorCode } from '../../base/error-codes.js';
import type { Reservation } from '../../accounts/usage/reservations.js';

/** Where a scan stands, as callers see it. */
export const SCAN_STATES = ['queued', 'running', 'finished', 'cancelled'] as const;
/** The state of a scan that callers see. */
export type ScanState = (typeof SCAN_STATES)[number];

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
  /** 1: a page sends its pictures one by one, so no worker fetches any. */
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

/** How the pictures of a scan are checked. */
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
