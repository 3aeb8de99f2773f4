// Holds each caller to the requests a second of his plan, so that nobody slows the others down.
import type { Plan } from '../../../accounts/plans.js';
import type { Database } from '../../../storage/db/database.js';
import { CheckError } from '../../../base/errors.js';
import { consumeRequest } from '../../../accounts/usage/rate-limit.js';
import { withHeaders } from '../errors/answer-errors.js';
import { noteRequests } from './rate-headers.js';
import type { Caller, Context } from '../state.js';

/** Consumes one request of the caller's plan and tells the rest in headers. Errors: rate_limited, unavailable. */
export async function countRequest(
  ctx: Context,
  database: Database,
  { accountId, plan }: Caller,
): Promise<void> {
  const rate = await consumeRequest(database, accountId, plan);
  noteRequests(ctx, plan, rate);
  if (!rate.allowed) throw tooManyRequests(plan, rate.retryInMs);
}

/** The answer to a request more than the plan allows. */
export function tooManyRequests(plan: Plan, retryInMs: number): Error {
  const message = `the plan ${plan.name} allows ${plan.requestsPerSecond} requests a second, ${plan.burst} at once`;
  const retryAfter = String(Math.max(1, Math.ceil(retryInMs / 1000)));
  return withHeaders(new CheckError('rate_limited', message), { 'Retry-After': retryAfter });
}
