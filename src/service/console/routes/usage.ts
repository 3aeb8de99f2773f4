// Console routes of usage: the month's checks by day and key, and notices about quota and keys.
import type { Static } from '@sinclair/typebox';
import { tallyChecks, tallyDays } from '../../../accounts/history/tally.js';
import type { UsageQuery } from '../../http/openapi/schemas.js';
import { countOpenAppeals, readAppealNews } from '../../../accounts/appeals/news.js';
import { readRange } from '../../http/routes/usage.js';
import { periodOf } from '../../../accounts/usage/period.js';
import { readDays, readPeriodUsage, readUsedByPlan } from '../../../accounts/usage/usage.js';
import { presentPlan } from '../../../accounts/plans.js';
import { listExpiring } from '../../../accounts/key-expiry.js';
import { hasRole } from '../../../accounts/members/members.js';
import { QUOTA_MARKS } from '../../../accounts/usage/period-counter.js';
import { roundScore } from 'telltale-engine/internal/base/numbers.js';
import { memberOf, type ConsoleContext } from '../session.js';
import type { Services } from '../../services.js';

/** Handles GET usage: returns usage; `from` and `to` are as in GET /v1/usage. Throws CheckError invalid_request. */
export function getConsoleUsage({ database, plans }: Services) {
  return async (ctx: ConsoleContext, query: Static<typeof UsageQuery>) => {
    const { accountId, planName } = memberOf(ctx);
    const now = new Date();
    const { start, end } = periodOf(now);
    const { from, to } = readRange(query, now);
    const [usedDays, days, tallies, verdicts] = await Promise.all([
      readUsedByPlan(database, accountId, now),
      readDays(database, accountId, null, from, to),
      tallyChecks(database, accountId, start),
      tallyDays(database, accountId, from, to),
    ]);
    const names = new Set([...(planName === null ? [] : [planName]), ...usedDays.map(({ plan }) => plan)]);
    return {
      period: { start: start.toISOString(), end: end.toISOString() },
      plans: [...names].flatMap((name) => {
        const plan = plans.get(name);
        const checks = usedDays.find((entry) => entry.plan === name)?.used ?? 0;
        return plan ? [{ ...presentPlan(plan), used: checks }] : [];
      }),
      days,
      /** Counted from the history. Days before the history begins are missing. */
      verdicts: verdicts.map(({ date, counts, medianScore }) => ({
        date,
        ...counts,
        median_score: roundScore(medianScore, 0),
      })),
      /** This month's checks by API key (null: checks in the console), counted from the history. */
      by_key: tallies.map(({ key, counts }) => ({ key, ...counts })),
    };
  };
}

/**
 * Handles GET notices: lists a nearly used quota, new appeals and decisions and, for owners, keys that expire
 * within a week.
 */
export function getNotices({ database, plans }: Services) {
  return async (ctx: ConsoleContext) => {
    const { accountId, planName, role } = memberOf(ctx);
    const now = new Date();
    const quota = plans.get(planName ?? '')?.checksPerMonth ?? null;
    const [usage, keys, appeals, toDecide] = await Promise.all([
      quota === null ? null : readPeriodUsage(database, accountId, planName ?? '', now),
      hasRole(role, 'owner') ? listExpiring(database, accountId, now) : [],
      readAppealNews(database, accountId, now),
      hasRole(role, 'operator') ? countOpenAppeals(database) : 0,
    ]);
    const usedChecks = usage === null ? 0 : usage.used + usage.reserved;
    const isNearlyGone = quota !== null && quota > 0 && usedChecks * 100 >= quota * QUOTA_MARKS[0];
    return {
      /** Null while less than 80% of the month's checks are used. */
      quota: isNearlyGone ? { gone: usedChecks, quota, ends: periodOf(now).end.toISOString() } : null,
      /** Times of the newest appeal and of the newest decision within two weeks; null without one. */
      appeals: {
        received_at: appeals.receivedAt?.toISOString() ?? null,
        decided_at: appeals.decidedAt?.toISOString() ?? null,
      },
      /** Number of appeals of all accounts that wait for the operator. */
      appeals_to_decide: toDecide,
      keys: keys.map(({ id, name, expiresAt }) => ({ id, name, expires_at: expiresAt.toISOString() })),
    };
  };
}
