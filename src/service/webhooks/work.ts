// Delivers webhook events in background processes, so that HTTP requests never wait for endpoints. Has the listeners that
// record events of scans, quotas, keys and appeals.
import type { Logger } from 'pino';
import type { Database } from '../../storage/db/database.js';
import type { FetcherOptions } from '../outbound/guarded-agent.js';
import { createPoster } from '../outbound/json-client.js';
import type { Queue } from '../../storage/queue/queue.js';
import { NO_TRACES, type Traces } from '../traces/span.js';
import { AccountPermits } from './account-permits.js';
import { deliver } from './deliver.js';
import { DELIVERY_JOBS, recordEvent } from './deliveries.js';
import type { ScanListener } from '../scans/scan.js';
import type { AppealListener } from '../../accounts/appeals/appeals.js';
import { notifyOfExpiry } from '../../accounts/key-expiry.js';
import { periodOf } from '../../accounts/usage/period.js';
import type { QuotaListener } from '../../accounts/usage/period-counter.js';

/** Maximum number of concurrent attempts per process. An attempt at a slow address lasts 10 s. */
const CONCURRENCY = 8;
/** Maximum number of concurrent attempts per account. */
const TRIES_PER_ACCOUNT = 2;
const POLL_MS = 1000;

export interface DeliveryDeps {
  readonly database: Database;
  readonly queue: Queue;
  readonly log: Logger;
  /** Traces of the deliveries; default: none. */
  readonly traces?: Traces;
  /** Options of the HTTP requests, and replacements for tests. */
  readonly fetcher?: FetcherOptions;
  /** Replacement for `retryDelay` in tests. */
  readonly pauseMs?: (tries: number) => number;
}

/**
 * Starts delivering events, also if other processes do so concurrently. Returns a function that stops
 * delivering after the running attempts.
 */
export async function startDeliveries(deps: DeliveryDeps): Promise<() => Promise<void>> {
  const { database, queue, log, traces = NO_TRACES, fetcher, pauseMs } = deps;
  await queue.define(DELIVERY_JOBS);
  const poster = createPoster(fetcher);
  const onDisabled = (webhook: string, reason: string): void =>
    log.warn({ webhook, reason }, 'a webhook was disabled');
  const permits = new AccountPermits(TRIES_PER_ACCOUNT);
  const allow = fetcher?.allow ?? null;
  const deliverDeps = {
    database,
    queue,
    traces,
    poster,
    allow,
    permits,
    onDisabled,
    ...(pauseMs && { pauseMs }),
  };
  const work = queue.work(DELIVERY_JOBS, { concurrency: CONCURRENCY, pollMs: POLL_MS }, (job) =>
    deliver(deliverDeps, job),
  );
  return async () => {
    await work.stop();
    await poster.close();
  };
}

/** Returns a listener that records scan events for webhooks, in the transaction that causes an event. */
export function createWebhookNotifier(queue: Queue): ScanListener {
  return (queries, { accountId, type, scan }) =>
    recordEvent(queries, queue, accountId, { type, at: new Date(), data: scan });
}

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
