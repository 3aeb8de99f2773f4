// Billing periods, which are calendar months in UTC, and the days in them.

import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import { RequestFault } from 'telltale-engine/internal/base/errors.js';

/** Pattern of a day. */
export const DAY = String.raw`\d{4}-\d\d-\d\d`;
/** Pattern of a time with offset, RFC 3339. Accepts a blank, to which queries decode an unescaped `+`. */
export const TIME = String.raw`[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+ -]\d\d:\d\d)`;
const MOMENT = new RegExp(`^${DAY}${TIME}$`);

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

/**
 * Reads the day or the time in the parameter `name`. `edge` says whether a day (UTC) means its start or its end. Throws
 * RequestFault.
 */
export function readMoment(name: string, text: string, edge: 'start' | 'end'): Date {
  const day = readDay(text);
  if (day) return new Date(day.getTime() + (edge === 'end' ? DAY_MS : 0));
  const moment = MOMENT.test(text) ? new Date(text.replace(' ', '+')) : null;
  if (moment && !Number.isNaN(moment.getTime())) return moment;
  throw new RequestFault(
    `Expected a day as YYYY-MM-DD or a time as 2026-11-01T12:00:00Z for '${name}' but received another text`,
    name,
  );
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
