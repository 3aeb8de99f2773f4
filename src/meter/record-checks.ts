// Charges checks: rows, counters and the answer to repeat, in one transaction.
import type { Plan } from '../accounts/plans.js';
import type { Database, Queries } from '../db/database.js';
import { CheckError } from '../errors.js';
import { completeClaim, type Claim } from './idempotency.js';
import { dayOf, periodOf } from './period.js';
import { selectUsed } from './usage.js';

/** Who pays. */
export interface Payer {
  readonly accountId: string;
  /** Null for a check by hand, in the console. */
  readonly keyId: string | null;
  /** Who made a check by hand. */
  readonly memberId?: string;
  readonly plan: Plan;
}

/** One check to charge. */
export interface CheckRecord {
  /** `chk_...`, new. */
  readonly id: string;
  readonly isAi: boolean;
  readonly fired: readonly string[];
  readonly profile: string;
  readonly model: string;
  readonly bandsVersion: string;
  readonly reason: string;
  /** 0..1; null where it was not scored. */
  readonly fullImageScore: number | null;
  readonly faceScore: number | null;
  readonly latencyMs: number;
  /** The kept image; null where none is kept. */
  readonly imageId: string | null;
}

/** Checks of one request that are charged together or not at all. */
export interface Charge {
  readonly payer: Payer;
  readonly requestId: string;
  /** Whether each check gets a row of the history, beside the counters. */
  readonly keepsHistory: boolean;
  /** At least one. */
  readonly checks: readonly CheckRecord[];
  /** With the claim of an idempotency key, the body to repeat. */
  readonly answer: { readonly claim: Claim; readonly body: string } | null;
}

/**
 * Writes one row a check (where the history is kept), adds to the counters of the period and the day and stores the answer, all in one transaction.
 * Gives the period's checks after it. Errors: quota_exceeded, where it would pass the plan's quota (nothing is
 * charged then); deadline_exceeded, where the claim has passed to another request; unavailable.
 */
export async function recordChecks(database: Database, charge: Charge): Promise<number> {
  const { payer, checks } = charge;
  const now = new Date();
  return database.transaction(async (queries) => {
    if (charge.keepsHistory) await insertRows(queries, charge, now);
    if (charge.answer) await completeClaim(queries, charge.answer.claim, charge.answer.body, now);
    await addToDay(queries, payer, now, checks.length);
    // Last, because every request of the account waits for this row until the commit.
    return addToPeriod(queries, payer, now, checks.length);
  });
}

/** The error of a plan whose checks are used up. */
export function quotaExceeded(plan: Plan, used: number, wanted: number, now: Date): CheckError {
  const { end } = periodOf(now);
  const left = Math.max(0, (plan.checksPerMonth ?? 0) - used);
  const request = wanted === 1 ? 'this check needs 1' : `this call needs ${wanted}`;
  return new CheckError(
    'quota_exceeded',
    `the plan ${plan.name} has ${plan.checksPerMonth} checks a month and ${left} are left; ${request}. ` +
      `The next period starts on ${dayOf(end)} (UTC)`,
  );
}

async function insertRows(queries: Queries, { payer, requestId, checks }: Charge, now: Date): Promise<void> {
  const rows = checks.map((check) => ({
    id: check.id,
    account_id: payer.accountId,
    plan: payer.plan.name,
    key_id: payer.keyId,
    member_id: payer.memberId ?? null,
    request_id: requestId,
    created_at: now.getTime(),
    is_ai: check.isAi ? 1 : 0,
    fired: check.fired.join(','),
    profile: check.profile,
    model: check.model,
    bands_version: check.bandsVersion,
    reason: check.reason,
    full_image_score: check.fullImageScore,
    face_score: check.faceScore,
    latency_ms: check.latencyMs,
    image_id: check.imageId,
  }));
  await queries('checks').insert(rows);
}

async function addToDay(queries: Queries, payer: Payer, now: Date, count: number): Promise<void> {
  await queries.raw(
    `insert into usage_days (account_id, plan, day, checks) values (?, ?, ?, ?)
     on conflict (account_id, plan, day) do update set checks = usage_days.checks + excluded.checks`,
    [payer.accountId, payer.plan.name, dayOf(now), count],
  );
}

/** The conditional update is the quota: no two transactions can both pass it for the same last check. */
async function addToPeriod(queries: Queries, payer: Payer, now: Date, count: number): Promise<number> {
  const { plan, accountId } = payer;
  const quota = plan.checksPerMonth;
  const fits = quota === null || count <= quota;
  const rows = fits
    ? await queries('usage_periods')
        .insert({ account_id: accountId, plan: plan.name, period: periodOf(now).name, checks: count })
        .onConflict(['account_id', 'plan', 'period'])
        .merge({ checks: queries.raw('usage_periods.checks + excluded.checks') })
        .modify((query) => {
          if (quota !== null) void query.whereRaw('usage_periods.checks + excluded.checks <= ?', [quota]);
        })
        .returning<{ checks: number }[]>('checks')
    : [];
  if (rows[0]) return rows[0].checks;
  throw quotaExceeded(plan, await selectUsed(queries, accountId, plan.name, now), count, now);
}
