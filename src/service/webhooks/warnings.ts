// Events about an account: a quota is nearly or fully used, a key expires soon, an appeal arrives or is decided.
import type { AppealListener } from '../../accounts/appeals/appeals.js';
import { notifyOfExpiry } from '../../accounts/key-expiry.js';
import { periodOf } from '../../accounts/usage/period.js';
import type { QuotaListener } from '../../accounts/usage/period-counter.js';
import type { Database } from '../../storage/db/database.js';
import type { Queue } from '../../storage/queue/queue.js';
import { recordEvent } from './deliveries.js';

/**
 * Returns a listener that records `quota.reached` for webhooks, in the transaction that charges the checks.
 */
export function createQuotaNotifier(queue: Queue): QuotaListener {
  return async (queries, { accountId, plan, quota, percent, used, reserved, now }) => {
    const { start, end } = periodOf(now);
    const period = { start: start.toISOString(), end: end.toISOString() };
    const data = { plan, period, percent, checks: { used, reserved, quota } };
    await recordEvent(queries, queue, accountId, { type: 'quota.reached', at: now, data });
  };
}

/** Returns a listener that records `appeal.received` and `appeal.decided`, in the transaction of the change. */
export function createAppealNotifier(queue: Queue): AppealListener {
  return (queries, { type, accountId, ...data }) =>
    recordEvent(queries, queue, accountId, { type, at: new Date(), data });
}

/** Records `key.expiring` for each key that expires within 7 days or 1 day, once for each of the two. */
export async function notifyExpiringKeys(database: Database, queue: Queue, now = new Date()): Promise<void> {
  await notifyOfExpiry(database, now, async (queries, { id, name, accountId, expiresAt }, days) => {
    const data = { key: { id, name, expires_at: expiresAt.toISOString() }, days };
    await recordEvent(queries, queue, accountId, { type: 'key.expiring', at: now, data });
  });
}
