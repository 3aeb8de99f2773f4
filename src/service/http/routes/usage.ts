// Route GET /v1/usage: number of checks in the current month and by day.
import type { Static } from '@sinclair/typebox';
import { invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { countDays, periodOf, readDay } from '../../../accounts/usage/period.js';
import { readDays, readPeriodUsage } from '../../../accounts/usage/usage.js';

import { setQuotaHeaders } from '../middleware/rate-limit.js';
import type { UsageQuery } from '../openapi/schemas.js';
import type { Handler } from '../route.js';
import type { Services } from '../../services.js';
import { callerOf } from '../state.js';

type Range = Static<typeof UsageQuery>;

const MAX_DAYS = 366;

/** Handles GET /v1/usage: returns the account's usage. Requires `authenticate`. */
export function getUsage({ database }: Services): Handler<Range> {
  return async (ctx, query) => {
    const { accountId, plan } = callerOf(ctx);
    const now = new Date();
    const period = periodOf(now);
    const { from, to } = readRange(query, now);
    const [usage, days] = await Promise.all([
      readPeriodUsage(database, accountId, plan.name, now),
      readDays(database, accountId, plan.name, from, to),
    ]);
    setQuotaHeaders(ctx, plan, usage, now);
    const { used, reserved } = usage;
    const quota = plan.checksPerMonth;
    ctx.body = {
      plan: plan.name,
      period: { start: toSeconds(period.start), end: toSeconds(period.end) },
      checks: {
        used,
        reserved,
        quota,
        remaining: quota === null ? null : Math.max(0, quota - used - reserved),
      },
      days,
    };
  };
}

/**
 * Reads the days `from` and `to` in the query; default: this month so far. Throws CheckError invalid_request.
 */
export function readRange(query: Range, now: Date): { from: Date; to: Date } {
  const to = readBound('to', query.to) ?? now;
  const from = readBound('from', query.from) ?? periodOf(to).start;
  const count = countDays(from, to);
  if (count >= 1 && count <= MAX_DAYS) return { from, to };
  throw invalidRequest(`Expected from and to to span 1 to ${MAX_DAYS} days but they span ${count}`, {
    param: 'from',
  });
}

function readBound(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const day = readDay(text);
  if (!day)
    throw invalidRequest(`Expected a day as YYYY-MM-DD for '${name}' but received another text`, {
      param: name,
    });
  return day;
}

/** Formats a time without milliseconds, as in the specification. */
function toSeconds(moment: Date): string {
  return moment.toISOString().replace('.000Z', 'Z');
}
