// Reserves checks for scans that have started. Reserved checks count against the quota until they are charged or
// returned.
import type { Plan } from '../plans.js';
import type { Queries } from '../../storage/db/database.js';
import { addToPeriod, type QuotaListener } from './period-counter.js';
import { periodOf } from './period.js';

/** The account, plan and billing period of reserved checks. */
export interface Reservation {
  readonly accountId: string;
  /** Name of the plan. */
  readonly plan: string;
  /** Year and month, such as 2026-03. The checks are charged to this period even if they finish later. */
  readonly period: string;
}

/** Reserves `count` checks in the period that contains `now`. Errors: quota_exceeded if fewer are left. */
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

/** Charges `count` of the reserved checks. */
export async function spendReserved(
  queries: Queries,
  reservation: Reservation,
  count: number,
): Promise<void> {
  await moveReserved(queries, reservation, { used: count, reserved: -count });
}

/** Returns `count` reserved checks to the quota. */
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
