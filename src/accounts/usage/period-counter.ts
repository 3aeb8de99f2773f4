// The counter of an account's period, and the quota that bounds it.
import { countOf } from '../../base/count.js';
import type { Plan } from '../plans.js';
import type { Queries } from '../../storage/db/database.js';
import { CheckError } from '../../base/errors.js';
import { dayOf, periodOf } from './period.js';
import { selectPeriodUsage, type PeriodUsage } from './usage.js';

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
        .returning<{ checks: number; reserved: number }[]>(['checks', 'reserved'])
    : [];
  if (rows[0]) return { used: rows[0].checks, reserved: rows[0].reserved };
  throw quotaExceeded(
    plan,
    await selectPeriodUsage(queries, accountId, plan.name, now),
    used + reserved,
    now,
  );
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
