// How many checks an account has used on a plan.
import type { Database, Queries } from '../../storage/db/database.js';
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

/** What of a period's quota is gone. */
export interface PeriodUsage {
  /** Checks charged. */
  readonly used: number;
  /** Checks set aside for scans that run. */
  readonly reserved: number;
}

/** The checks that are gone of the period that `now` is in. */
export async function readPeriodUsage(
  database: Database,
  accountId: string,
  plan: string,
  now: Date,
): Promise<PeriodUsage> {
  return database.run((queries) => selectPeriodUsage(queries, accountId, plan, now));
}

/** The same as `readPeriodUsage`, inside a transaction. */
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

/** Checks charged in the period that `now` is in, by plan: an account may hold keys of several. */
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

/** Checks charged in the period that `now` is in, on all plans, by each of these accounts; those without a check are left out. */
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

/** One entry for each day from `from` to `to` (both included), in order; days without a check hold 0. `plan` null: of all plans. */
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
