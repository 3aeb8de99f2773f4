// Checks that are set aside for work that has begun: they count against the quota until they are charged or returned.
import type { Plan } from '../plans.js';
import type { Queries } from '../../storage/db/database.js';
import { addToPeriod, type QuotaListener } from './period-counter.js';
import { periodOf } from './period.js';

/** Whose checks are set aside, and in which period. */
export interface Reservation {
  readonly accountId: string;
  /** Name of the plan. */
  readonly plan: string;
  /** YYYY-MM. They stay in it, whenever they are charged. */
  readonly period: string;
}

/** Sets `count` checks aside in the period that `now` is in. Errors: quota_exceeded, if that many are not left. */
export async function reserveChecks(
  queries: Queries,
  { accountId, plan }: { readonly accountId: string; readonly plan: Plan },
  count: number,
  now: Date,
  onMark: QuotaListener | null = null,
): Promise<Reservation> {
  await addToPeriod(queries, { accountId, plan, now, used: 0, reserved: count, onMark });
  return { accountId, plan: plan.name, period: periodOf(now).name };
}

/** Charges `count` of the checks that were set aside. */
export async function spendReserved(
  queries: Queries,
  reservation: Reservation,
  count: number,
): Promise<void> {
  await moveReserved(queries, reservation, { used: count, reserved: -count });
}

/** Returns `count` of the checks that were set aside. */
export async function returnReserved(
  queries: Queries,
  reservation: Reservation,
  count: number,
): Promise<void> {
  await moveReserved(queries, reservation, { used: 0, reserved: -count });
}

async function moveReserved(
  queries: Queries,
  { accountId, plan, period }: Reservation,
  change: { readonly used: number; readonly reserved: number },
): Promise<void> {
  await queries('usage_periods')
    .where({ account_id: accountId, plan, period })
    .update({
      checks: queries.raw('checks + ?', [change.used]),
      reserved: queries.raw('reserved + ?', [change.reserved]),
    });
}
