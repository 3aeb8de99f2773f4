// Counts an account's checks in a billing period and enforces the quota.
import { countOf } from 'telltale-engine/internal/base/numbers.js';
import type { Plan } from '../plans.js';
import type { Queries } from '../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { dayOf, periodOf } from './period.js';
import { selectPeriodUsage, type PeriodUsage } from './usage.js';

/** Percentages of the quota at which the account is notified. */
export const QUOTA_MARKS = [80, 100] as const;

/** Usage of a quota at the time when one of the percentages is reached. */
export interface QuotaMark extends PeriodUsage {
  readonly accountId: string;
  /** Name of the account's plan. */
  readonly plan: string;
  readonly quota: number;
  /** The percentage that is reached; one of QUOTA_MARKS. */
  readonly percent: number;
  readonly now: Date;
}

/** Function called in the transaction that reaches a percentage, once for each percentage and billing period. */
export type QuotaListener = (queries: Queries, mark: QuotaMark) => Promise<void>;

/** Numbers to add to the counters of a billing period. */
interface Addition {
  readonly accountId: string;
  readonly plan: Plan;
  /** Any time within the billing period. */
  readonly now: Date;
  /** Number of checks to charge. */
  readonly used: number;
  /** Number of checks to reserve for work that has started. */
  readonly reserved: number;
  /** Called when a percentage of the quota is reached; null if nobody is to be notified. */
  readonly onMark: QuotaListener | null;
}

/**
 * Adds to the counters of a billing period and returns them. The UPDATE has the quota as its condition, so concurrent
 * transactions can't exceed it. Errors: quota_exceeded; the counters then stay unchanged.
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
    if (quota !== null) await notifyQuotaMarks(queries, addition, { ...usage, quota }, rows[0].told_percent);
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

/**
 * Calls `onMark` for each percentage that is now reached. The counter's row stays locked until the end of the
 * transaction, so only one of several concurrent transactions reports a percentage.
 */
async function notifyQuotaMarks(
  queries: Queries,
  { accountId, plan, now, onMark }: Addition,
  usage: PeriodUsage & { readonly quota: number },
  notifiedPercent: number,
): Promise<void> {
  const usedPercents = (usage.used + usage.reserved) * 100;
  if (onMark === null || usedPercents < usage.quota * QUOTA_MARKS[0] || usage.quota === 0) return;
  const reached = QUOTA_MARKS.filter(
    (percent) => percent > notifiedPercent && usedPercents >= usage.quota * percent,
  );
  if (reached.length === 0) return;
  await queries('usage_periods')
    .where({ account_id: accountId, plan: plan.name, period: periodOf(now).name })
    .update({ told_percent: reached.at(-1) });
  for (const percent of reached)
    await onMark(queries, { accountId, plan: plan.name, ...usage, percent, now });
}

/**
 * Throws quota_exceeded if fewer than `requestedChecks` checks are left. This early test does not see concurrent
 * charges; `addToPeriod` enforces the quota.
 */
export function requireLeft(plan: Plan, usage: PeriodUsage, requestedChecks: number, now: Date): void {
  if (plan.checksPerMonth !== null && usage.used + usage.reserved + requestedChecks > plan.checksPerMonth)
    throw quotaExceeded(plan, usage, requestedChecks, now);
}

function quotaExceeded(plan: Plan, usage: PeriodUsage, requestedChecks: number, now: Date): CheckError {
  const { end } = periodOf(now);
  const remainingChecks = Math.max(0, (plan.checksPerMonth ?? 0) - usage.used - usage.reserved);
  const request = requestedChecks === 1 ? 'this check needs 1' : `this call needs ${requestedChecks}`;
  const aside =
    usage.reserved > 0
      ? ` (${usage.reserved} ${usage.reserved === 1 ? 'is' : 'are'} reserved for scans)`
      : '';
  return new CheckError(
    'quota_exceeded',
    `the plan ${plan.name} has ${countOf(plan.checksPerMonth ?? 0, 'check')} a month and ${remainingChecks} ${remainingChecks === 1 ? 'is' : 'are'} left${aside}; ${request}. ` +
      `The next period starts on ${dayOf(end)} (UTC)`,
  );
}
