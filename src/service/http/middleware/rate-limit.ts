// Limits of a plan: requests per second and checks per month. The headers RateLimit and RateLimit-Policy
// report them. Source: draft-ietf-httpapi-ratelimit-headers-10.
import { requireLeft } from '../../../accounts/usage/period-counter.js';
import { readPeriodUsage, type PeriodUsage } from '../../../accounts/usage/usage.js';
import { nameOfPlan, type Plan } from '../../../accounts/plans.js';
import { countOf } from 'telltale-engine/internal/base/numbers.js';
import type { Database } from '../../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { consumeRequest, type RateState } from '../../../accounts/usage/rate-limit.js';
import { withHeaders } from '../errors/answer-errors.js';
import type { Caller, Context } from '../state.js';
import { periodOf } from '../../../accounts/usage/period.js';

/**
 * Counts a request against the caller's plan and sets the headers. A key with a smaller plan has a bucket of its
 * own, which is counted first. Throws CheckError rate_limited, unavailable.
 */
export async function countRequest(
  ctx: Context,
  database: Database,
  { accountId, keyId, plan }: Caller,
): Promise<void> {
  // Sandbox requests have a separate request rate.
  const bucketOf = (limits: Plan): Plan =>
    ctx.state.isSandbox ? { ...limits, name: `sandbox ${limits.name}` } : limits;
  if (plan.narrowed && keyId !== null) {
    const keyRate = await consumeRequest(database, accountId, bucketOf({ ...plan, name: `key ${keyId}` }));
    setRateHeaders(ctx, plan, keyRate);
    if (!keyRate.allowed) throw tooManyRequests(plan, keyRate.retryInMs);
  }
  const accountPlan = plan.narrowed?.from ?? plan;
  const rate = await consumeRequest(database, accountId, bucketOf(accountPlan));
  if (!plan.narrowed || !rate.allowed) setRateHeaders(ctx, accountPlan, rate);
  if (!rate.allowed) throw tooManyRequests(accountPlan, rate.retryInMs);
}

/** Returns the error for a request above the plan's rate. */
export function tooManyRequests(plan: Plan, retryInMs: number): Error {
  const message = `${nameOfPlan(plan)} allows ${countOf(plan.requestsPerSecond, 'request')} a second, ${plan.burst} at once`;
  const retryAfter = String(Math.max(1, Math.ceil(retryInMs / 1000)));
  return withHeaders(new CheckError('rate_limited', message), { 'Retry-After': retryAfter });
}

/** Sets headers with the number of further requests, and the seconds until the full burst is available. */
function setRateHeaders(ctx: Context, plan: Plan, rate: RateState): void {
  const windowS = Math.max(1, Math.ceil(plan.burst / plan.requestsPerSecond));
  append(ctx, 'RateLimit-Policy', `"requests";q=${plan.burst};w=${windowS}`);
  append(ctx, 'RateLimit', `"requests";r=${rate.remaining};t=${Math.ceil(rate.fullInMs / 1000)}`);
}

/** Sets headers with the month's remaining checks, if the plan has a quota. Replaces earlier values. */
export function setQuotaHeaders(ctx: Context, plan: Plan, usage: PeriodUsage, now: Date): void {
  if (plan.checksPerMonth === null) return;
  const { start, end } = periodOf(now);
  const windowS = (end.getTime() - start.getTime()) / 1000;
  const remainingChecks = Math.max(0, plan.checksPerMonth - usage.used - usage.reserved);
  append(ctx, 'RateLimit-Policy', `"checks";q=${plan.checksPerMonth};w=${windowS}`);
  append(
    ctx,
    'RateLimit',
    `"checks";r=${remainingChecks};t=${Math.ceil((end.getTime() - now.getTime()) / 1000)}`,
  );
}

function append(ctx: Context, header: string, entry: string): void {
  const name = entry.slice(0, entry.indexOf(';'));
  const received = ctx.response.get(header);
  const otherEntries = received
    ? received.split(', ').filter((otherEntry) => !otherEntry.startsWith(name))
    : [];
  ctx.set(header, [...otherEntries, entry].join(', '));
}

/** Sets headers with the remaining quota. Throws CheckError quota_exceeded if `requestedChecks` exceed it. */
export async function requireQuota(
  ctx: Context,
  database: Database,
  { accountId, plan }: Caller,
  requestedChecks: number,
): Promise<void> {
  if (plan.checksPerMonth === null) return;
  const now = new Date();
  const usage = await readPeriodUsage(database, accountId, plan.name, now);
  setQuotaHeaders(ctx, plan, usage, now);
  requireLeft(plan, usage, requestedChecks, now);
}
