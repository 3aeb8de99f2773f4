// The counter of an account's period, and the quota that bounds it.
import { countOf } from 'telltale-engine/internal/base/count.js';
import type { Plan } from '../plans.js';
import type { Queries } from '../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { dayOf, periodOf } from './period.js';
import { selectPeriodUsage, type PeriodUsage } from './usage.js';

/** Per cent of a quota at which an account is told. */
export const QUOTA_MARKS = [80, 100] as const;

/** What of a quota is gone when a mark is reached. */
export interface QuotaMark extends PeriodUsage {
  readonly accountId: string;
  /** Name of the plan. */
  readonly plan: string;
  readonly quota: number;
  /** One of QUOTA_MARKS. */
  readonly percent: number;
  readonly now: Date;
}

/** Hears of a mark inside the transaction that reaches it: each mark once a period. */
export type QuotaListener = (queries: Queries, mark: QuotaMark) => Promise<void>;

/** The amounts that are added to a period. */
interface Addition {
  readonly accountId: string;
  readonly plan: Plan;
  /** A moment of the period. */
  readonly now: Date;
  /** Checks to charge. */
  readonly used: number;
  /** Checks to set aside. */
  readonly reserved: number;
  /** Null where nobody is to be told. */
  readonly onMark: QuotaListener | null;
}

/**
 * Adds to the counters and gives them. The conditional update is the quota: no two transactions can both pass it for the
 * same last check. Errors: quota_exceeded, and nothing is added.
 */
export async function addToPeriod(queries: Queries, addition: Addition): Promise<PeriodUsage> {
  const { accountId, plan, now, used, reserved } = addition;
  const quota = plan.checksPerMonth;
  const fits = quota === null || used + reserved <= quota;
  const rows = fits
    ? await queries('usage_periods')
        .insert({
          account_id: accountId,
          plan: plan.name,
          period: periodOf(now).name,
          checks: used,
          reserved,
        })
        .onConflict(['account_id', 'plan', 'period'])
        .merge({
          checks: queries.raw('usage_periods.checks + excluded.checks'),
          reserved: queries.raw('usage_periods.reserved + excluded.reserved'),
        })
        .modify((query) => {
          if (quota === null) return;
          const sum =
            'usage_periods.checks + usage_periods.reserved + excluded.checks + excluded.reserved <= ?';
          void query.whereRaw(sum, [quota]);
        })
        .returning<CounterRow[]>(['checks', 'reserved', 'told_percent'])
    : [];
  if (rows[0]) {
    const usage = { used: rows[0].checks, reserved: rows[0].reserved };
    if (quota !== null) await tellMarks(queries, addition, { ...usage, quota }, rows[0].told_percent);
    return usage;
  }
  throw quotaExceeded(
    plan,
    await selectPeriodUsage(queries, accountId, plan.name, now),
    used + reserved,
    now,
  );
}

interface CounterRow {
  checks: number;
  reserved: number;
  told_percent: number;
}

/** The counter's row is locked until the end of the transaction, so that of several at once one alone reaches a mark. */
async function tellMarks(
  queries: Queries,
  { accountId, plan, now, onMark }: Addition,
  usage: PeriodUsage & { readonly quota: number },
  told: number,
): Promise<void> {
  const gone = (usage.used + usage.reserved) * 100;
  if (onMark === null || gone < usage.quota * QUOTA_MARKS[0] || usage.quota === 0) return;
  const reached = QUOTA_MARKS.filter((percent) => percent > told && gone >= usage.quota * percent);
  if (reached.length === 0) return;
  await queries('usage_periods')
    .where({ account_id: accountId, plan: plan.name, period: periodOf(now).name })
    .update({ told_percent: reached.at(-1) });
  for (const percent of reached)
    await onMark(queries, { accountId, plan: plan.name, ...usage, percent, now });
}

/**
 * Throws quota_exceeded if `wanted` checks are not left. Only the counter's own condition sees charges made meanwhile.
 */
export function requireLeft(plan: Plan, usage: PeriodUsage, wanted: number, now: Date): void {
  if (plan.checksPerMonth !== null && usage.used + usage.reserved + wanted > plan.checksPerMonth)
    throw quotaExceeded(plan, usage, wanted, now);
}

/** The error of a plan whose checks are used up. */
function quotaExceeded(plan: Plan, usage: PeriodUsage, wanted: number, now: Date): CheckError {
  const { end } = periodOf(now);
  const left = Math.max(0, (plan.checksPerMonth ?? 0) - usage.used - usage.reserved);
  const request = wanted === 1 ? 'this check needs 1' : `this call needs ${wanted}`;
  const aside =
    usage.reserved > 0
      ? ` (${usage.reserved} ${usage.reserved === 1 ? 'is' : 'are'} set aside for scans)`
      : '';
  return new CheckError(
    'quota_exceeded',
    `the plan ${plan.name} has ${countOf(plan.checksPerMonth ?? 0, 'check')} a month and ${left} ${left === 1 ? 'is' : 'are'} left${aside}; ${request}. ` +
      `The next period starts on ${dayOf(end)} (UTC)`,
  );
}
