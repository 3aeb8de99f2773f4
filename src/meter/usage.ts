// How many checks an account has used on a plan.
import type { Database, Queries } from '../db/database.js';
import { listDays, periodOf, dayOf } from './period.js';

interface DayRow {
  account_id: string;
  plan: string;
  day: string;
  checks: number;
}

/** Checks of one day. */
export interface DayUsage {
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  readonly checks: number;
}

/** Checks charged in the period that `now` is in. */
export async function readUsed(
  database: Database,
  accountId: string,
  plan: string,
  now: Date,
): Promise<number> {
  return database.run((queries) => selectUsed(queries, accountId, plan, now));
}

/** The same as `readUsed`, inside a transaction. */
export async function selectUsed(
  queries: Queries,
  accountId: string,
  plan: string,
  now: Date,
): Promise<number> {
  const key = { account_id: accountId, plan, period: periodOf(now).name };
  const row = await queries<{ checks: number }>('usage_periods').where(key).first('checks');
  return row?.checks ?? 0;
}

/** One entry for each day from `from` to `to` (both included), in order; days without a check hold 0. */
export async function readDays(
  database: Database,
  accountId: string,
  plan: string,
  from: Date,
  to: Date,
): Promise<DayUsage[]> {
  const rows = await database.run((queries) =>
    queries<DayRow>('usage_days')
      .where({ account_id: accountId, plan })
      .whereBetween('day', [dayOf(from), dayOf(to)])
      .select('day', 'checks'),
  );
  const counts = new Map(rows.map((row) => [row.day, row.checks]));
  return listDays(from, to).map((date) => ({ date, checks: counts.get(date) ?? 0 }));
}
