// RateLimit and RateLimit-Policy: the rest of the plan's allowance (IETF draft-ietf-httpapi-ratelimit-headers-10).
import type { Plan } from '../../../accounts/plans.js';
import { periodOf } from '../../../accounts/usage/period.js';
import type { RateState } from '../../../accounts/usage/rate-limit.js';
import type { PeriodUsage } from '../../../accounts/usage/usage.js';
import type { Context } from '../state.js';

/** Tells the requests that may follow at once, and the seconds until the whole burst is back. */
export function noteRequests(ctx: Context, plan: Plan, rate: RateState): void {
  const windowS = Math.max(1, Math.ceil(plan.burst / plan.requestsPerSecond));
  append(ctx, 'RateLimit-Policy', `"requests";q=${plan.burst};w=${windowS}`);
  append(ctx, 'RateLimit', `"requests";r=${rate.remaining};t=${Math.ceil(rate.fullInMs / 1000)}`);
}

/** Tells the checks that are left of the month, on a plan that has a quota. Later calls take the place of earlier ones. */
export function noteChecks(ctx: Context, plan: Plan, usage: PeriodUsage, now: Date): void {
  if (plan.checksPerMonth === null) return;
  const { start, end } = periodOf(now);
  const windowS = (end.getTime() - start.getTime()) / 1000;
  const left = Math.max(0, plan.checksPerMonth - usage.used - usage.reserved);
  append(ctx, 'RateLimit-Policy', `"checks";q=${plan.checksPerMonth};w=${windowS}`);
  append(ctx, 'RateLimit', `"checks";r=${left};t=${Math.ceil((end.getTime() - now.getTime()) / 1000)}`);
}

function append(ctx: Context, header: string, entry: string): void {
  const name = entry.slice(0, entry.indexOf(';'));
  const received = ctx.response.get(header);
  const others = received ? received.split(', ').filter((other) => !other.startsWith(name)) : [];
  ctx.set(header, [...others, entry].join(', '));
}
