// Events ahead of trouble: a quota that is nearly or all gone, and keys that are about to expire.
import { tellDays } from '../../accounts/key-expiry.js';
import { periodOf } from '../../accounts/usage/period.js';
import type { QuotaListener } from '../../accounts/usage/period-counter.js';
import type { Database } from '../../storage/db/database.js';
import type { Queue } from '../../storage/queue/queue.js';
import { recordEvent } from './deliveries.js';

/** A listener that writes `quota.reached` down for the endpoints that want it, with the charge that reaches the mark. */
export function tellQuota(queue: Queue): QuotaListener {
  return async (queries, { accountId, plan, quota, percent, used, reserved, now }) => {
    const { start, end } = periodOf(now);
    const period = { start: start.toISOString(), end: end.toISOString() };
    const data = { plan, period, percent, checks: { used, reserved, quota } };
    await recordEvent(queries, queue, accountId, { type: 'quota.reached', at: now, data });
  };
}

/** Writes `key.expiring` down for each key that has come to a mark since the last time. */
export async function tellExpiringKeys(database: Database, queue: Queue, now = new Date()): Promise<void> {
  await tellDays(database, now, async (queries, { id, name, accountId, expiresAt }, days) => {
    const data = { key: { id, name, expires_at: expiresAt.toISOString() }, days };
    await recordEvent(queries, queue, accountId, { type: 'key.expiring', at: now, data });
  });
}
