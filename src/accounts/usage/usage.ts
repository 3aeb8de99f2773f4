// Counts the checks that an account has used, by period and by day.
import type { Database, Queries } from '../../storage/db/database.js';
import { listDays, periodOf, dayOf } from './period.js';

interface DayRow {
  account_id: string;
  plan: string;
  day: string;
  checks: number;
}

export interface DayUsage {
  /** Day as YYYY-MM-DD, in UTC. */
  readonly date: string;
  readonly checks: number;
}

/** Usage of the quota in a billing period. */
export interface PeriodUsage {
  /** Number of checks charged. */
  readonly used: number;
  /** Number of checks reserved for running scans. */
  readonly reserved: number;
}

/** Returns the usage of the billing period that contains `now`. */
export async function readPeriodUsage(
  database: Database,
  accountId: string,
  plan: string,
  now: Date,
): Promise<PeriodUsage> {
  return database.run((queries) => selectPeriodUsage(queries, accountId, plan, now));
}

/** Returns the same as `readPeriodUsage`, within a transaction. */
export async function selectPeriodUsage(
  queries: Queries,
  accountId: string,
  plan: string,
  now: Date,
): Promise<PeriodUsage> {
  const key = { account_id: accountId, plan, period: periodOf(now).name };
  const row = await queries<{ checks: number; reserved: number }>('usage_periods')
    .where(key)
    .first('checks', 'reserved');
  return { used: row?.checks ?? 0, reserved: row?.reserved ?? 0 };
}

/** Returns the checks charged in the period that contains `now`, for each plan the account had in it. */
export async function readUsedByPlan(
  database: Database,
  accountId: string,
  now: Date,
): Promise<{ readonly plan: string; readonly used: number }[]> {
  return database.run((queries) =>
    queries('usage_periods')
      .where({ account_id: accountId, period: periodOf(now).name })
      .orderBy('plan')
      .select<{ plan: string; used: number }[]>('plan', 'checks as used'),
  );
}

/**
 * Returns the checks charged in the period that contains `now`, on all plans together, for each of these accounts.
 * Leaves out accounts without checks.
 */
export async function readUsedByAccount(
  database: Database,
  accountIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.run((queries) =>
    queries('usage_periods')
      .where({ period: periodOf(now).name })
      .whereIn('account_id', [...accountIds])
      .groupBy('account_id')
      .select<{ id: string; used: number | string }[]>(
        'account_id as id',
        queries.raw('sum(checks) as used'),
      ),
  );
  return new Map(rows.map(({ id, used }) => [id, Number(used)]));
}

/** Returns one entry for each day from `from` to `to` (both included), in order. `plan` null: all plans together. */
export async function readDays(
  database: Database,
  accountId: string,
  plan: string | null,
  from: Date,
  to: Date,
): Promise<DayUsage[]> {
  const rows = await database.run((queries) =>
    queries<DayRow>('usage_days')
      .where({ account_id: accountId, ...(plan !== null && { plan }) })
      .whereBetween('day', [dayOf(from), dayOf(to)])
      .select('day', 'checks'),
  );
  const counts = new Map<string, number>();
  for (const { day, checks } of rows) counts.set(day, (counts.get(day) ?? 0) + checks);
  return listDays(from, to).map((date) => ({ date, checks: counts.get(date) ?? 0 }));
}
