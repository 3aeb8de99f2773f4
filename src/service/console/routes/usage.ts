// What the account has used this month, and how its checks divide.
import { tallyChecks } from '../../../accounts/history/tally.js';
import { readRange } from '../../http/routes/usage.js';
import { periodOf } from '../../../accounts/usage/period.js';
import { readDays, readUsedByPlan } from '../../../accounts/usage/usage.js';
import { presentPlan } from '../present.js';
import { answer, type ConsoleDeps, memberOf } from '../state.js';

/** Handles GET usage; `from` and `to` as GET /v1/usage has them. Errors: invalid_request. */
export function getConsoleUsage({ database, plans }: ConsoleDeps) {
  return answer(async (ctx) => {
    const { accountId, planName } = memberOf(ctx);
    const now = new Date();
    const { start, end } = periodOf(now);
    const { from, to } = readRange(ctx, now);
    const [used, days, tallies] = await Promise.all([
      readUsedByPlan(database, accountId, now),
      readDays(database, accountId, null, from, to),
      tallyChecks(database, accountId, start),
    ]);
    const names = new Set([...(planName === null ? [] : [planName]), ...used.map(({ plan }) => plan)]);
    return {
      period: { start: start.toISOString(), end: end.toISOString() },
      plans: [...names].flatMap((name) => {
        const plan = plans.get(name);
        const checks = used.find((entry) => entry.plan === name)?.used ?? 0;
        return plan ? [{ ...presentPlan(plan), used: checks }] : [];
      }),
      days,
      /** From the history: this period's checks by key, null standing for those by hand; empty if none is kept. */
      by_key: tallies.map(({ key, ai, noAi }) => ({ key, ai, no_ai: noAi })),
    };
  });
}
