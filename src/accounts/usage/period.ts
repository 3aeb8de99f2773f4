import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
// Billing periods, which are calendar months in UTC, and the days in them.

/** A billing period: a calendar month in UTC. */
interface Period {
  /** Year and month, such as 2026-03. */
  readonly name: string;
  readonly start: Date;
  /** First millisecond after the period. */
  readonly end: Date;
}

/** Returns the billing period that contains `now`. */
export function periodOf(now: Date): Period {
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  return {
    name: now.toISOString().slice(0, 7),
    start: new Date(Date.UTC(year, month, 1)),
    end: new Date(Date.UTC(year, month + 1, 1)),
  };
}

/** Returns the day of `moment` as YYYY-MM-DD, in UTC. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Returns midnight (UTC) of a day written YYYY-MM-DD; null if the day does not exist. */
export function readDay(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const moment = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(moment.getTime()) || dayOf(moment) !== text ? null : moment;
}

/** Returns the number of days from `from` to `to`, both included; 0 or less if `to` is earlier. */
export function countDays(from: Date, to: Date): number {
  return Math.floor((to.getTime() - from.getTime()) / DAY_MS) + 1;
}

/** Returns every day from `from` to `to`, both included; empty if `to` is earlier. */
export function listDays(from: Date, to: Date): string[] {
  const length = Math.max(0, countDays(from, to));
  return Array.from({ length }, (_, index) => dayOf(new Date(from.getTime() + index * DAY_MS)));
}
