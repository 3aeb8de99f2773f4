// Attempts a webhook delivery once: signs and posts the event, and records the result.
import type { Database, Queries } from '../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Poster } from '../outbound/json-client.js';
import type { Job } from '../../storage/queue/job-kind.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { AccountPermits } from './account-permits.js';
import { DELIVERY_JOBS, type DeliveryJob, type DeliveryRow } from './deliveries.js';
import { readEndpointUrl, type FetchAllow } from '../outbound/fetch-allow.js';
import { activeSecrets, type EndpointRow } from './endpoints.js';
import { signMessage } from './signature.js';
import { hostOf, within, type Traces } from '../traces/span.js';

const FIRST_PAUSE_MS = 5000;
/** Factor by which each pause is longer than the previous pause. */
const GROWTH = 4;
/** Maximum pause between two attempts. */
const MAX_PAUSE_MS = 4 * 3_600_000;

/**
 * Returns the milliseconds between attempt `tries` (from 1) and the next: about 5 s, 20 s, 80 s, 5 min,
 * 21 min, 85 min, then 4 h: about twelve attempts in 24 hours. Varies randomly by a quarter, so that
 * deliveries that failed together are not retried together.
 */
export function retryDelay(tries: number): number {
  const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** (tries - 1));
  return Math.round(pauseMs * (0.75 + Math.random() / 2));
}

const HTTP_GONE = 410;

interface DeliverDeps {
  readonly database: Database;
  readonly queue: Queue;
  readonly traces: Traces;
  readonly poster: Poster;
  /** Rules that allow some non-public addresses. */
  readonly allow: FetchAllow | null;
  readonly permits: AccountPermits;
  /** Receives an endpoint that was disabled, with the reason. */
  readonly onDisabled: (endpointId: string, reason: string) => void;
  /** Replacement for `retryDelay` in tests. */
  readonly pauseMs?: (tries: number) => number;
}

/** Result of an attempt: the status of the response, or an error without a response. */
interface Outcome {
  readonly status: number | null;
  /** Reason why the attempt failed, or null if the event was delivered. */
  readonly error: string | null;
  /** HTTP status or error code, for the trace. */
  readonly code: string;
}

/**
 * Attempts a delivery once, or postpones it if its account has too many running attempts. Rejects if the
 * database is unavailable; then the job runs again, and the event may arrive twice with the same webhook-id.
 */
export async function deliver(deps: DeliverDeps, job: Job<DeliveryJob>): Promise<void> {
  const due = await findDue(deps.database, job.data);
  if (!due) return;
  if (due.endpoint.disabled_at !== null) {
    // The endpoint was disabled after the delivery had been recorded.
    await deps.database.run((queries) => failPending(queries, due.endpoint.id, Date.now()));
    return;
  }
  const { account_id: accountId } = due.endpoint;
  const outcome = await deps.permits.run(accountId, () => postTraced(deps, due.delivery, due.endpoint));
  if (outcome === null) return postpone(deps, job, accountId);
  const disabled = await deps.database.transaction(async (queries) => {
    // If the lease has expired, another worker has the job and records the result.
    const isStillLeased = await deps.queue.complete(DELIVERY_JOBS, job, queries);
    return isStillLeased ? record(deps, queries, due.delivery, outcome) : null;
  });
  if (disabled !== null) deps.onDisabled(due.endpoint.id, disabled);
}

/**
 * Returns the delivery and its endpoint. Returns null for an obsolete job: the delivery ended or was sent
 * again by hand, or the endpoint was deleted.
 */
async function findDue(
  database: Database,
  { delivery: id, turn }: DeliveryJob,
): Promise<{ readonly delivery: DeliveryRow; readonly endpoint: EndpointRow } | null> {
  const delivery = await database.run((queries) =>
    queries<DeliveryRow>('webhook_deliveries').where({ id, turn, state: 'pending' }).first(),
  );
  if (!delivery) return null;
  const endpoint = await database.run((queries) =>
    queries<EndpointRow>('webhook_endpoints').where({ id: delivery.endpoint_id }).first(),
  );
  return endpoint ? { delivery, endpoint } : null;
}

/** Postpones a delivery, so that its account does not block the events of other accounts. */
async function postpone(
  { database, queue, permits }: DeliverDeps,
  job: Job<DeliveryJob>,
  accountId: string,
): Promise<void> {
  const { delivery: id, turn } = job.data;
  const nextTryAt = permits.nextStartMs(accountId);
  await database.transaction(async (queries) => {
    if (!(await queue.complete(DELIVERY_JOBS, job, queries))) return;
    await queries<DeliveryRow>('webhook_deliveries')
      .where({ id, turn, state: 'pending' })
      .update({ next_try_at: nextTryAt });
    await queue.send(DELIVERY_JOBS, [{ data: job.data, startAfter: new Date(nextTryAt) }], queries);
  });
}

/** Posts an event in a span. The receiver gets no trace headers. */
function postTraced(deps: DeliverDeps, delivery: DeliveryRow, endpoint: EndpointRow): Promise<Outcome> {
  const facts = {
    ...hostOf(endpoint.url),
    'telltale.delivery_id': delivery.id,
    'telltale.event': delivery.type,
    'telltale.try': delivery.tries + 1,
  };
  return within(deps.traces.begin('webhook delivery', 'CLIENT', facts), async (span) => {
    const outcome = await post(deps, delivery, endpoint);
    if (outcome.status !== null) span.addFacts({ 'http.response.status_code': outcome.status });
    if (outcome.error !== null) span.fail(outcome.code, { isFault: true });
    return outcome;
  });
}

async function post(
  { poster, allow }: DeliverDeps,
  delivery: DeliveryRow,
  endpoint: EndpointRow,
): Promise<Outcome> {
  const now = new Date();
  const message = { id: delivery.event_id, body: delivery.body };
  const headers = {
    'content-type': 'application/json',
    ...signMessage(message, activeSecrets(endpoint, now), now),
  };
  try {
    const status = await poster.post(readEndpointUrl(endpoint.url, allow), delivery.body, headers);
    return { status, error: describe(status), code: String(status) };
  } catch (error) {
    if (error instanceof CheckError) return { status: null, error: error.message, code: error.code };
    throw error;
  }
}

function describe(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return `the address responded with status ${status}${isRedirect ? '; redirects are not followed' : ''}`;
}

/** Records the result of an attempt. Returns the reason if the endpoint is now disabled, otherwise null. */
async function record(
  { queue, pauseMs = retryDelay }: DeliverDeps,
  queries: Queries,
  delivery: DeliveryRow,
  { status, error }: Outcome,
): Promise<string | null> {
  const { id, endpoint_id: endpointId, turn } = delivery;
  // Locks the endpoint before the delivery, as all code does, because different orders could deadlock.
  const endpoint = await queries<EndpointRow>('webhook_endpoints')
    .where({ id: endpointId })
    .forNoKeyUpdate()
    .first();
  if (!endpoint) return null;
  const now = Date.now();
  // If the delivery was sent again by hand meanwhile, this attempt counts, but the newer decides the state.
  const [updatedRow] = await queries<DeliveryRow>('webhook_deliveries')
    .where({ id })
    .update({ tries: queries.raw('tries + 1') as unknown as number })
    .returning(['turn', 'tries', 'give_up_at']);
  if (updatedRow?.turn === turn) {
    const nextTryAt = now + pauseMs(updatedRow.tries);
    const mayTryAgain =
      error !== null &&
      status !== HTTP_GONE &&
      endpoint.disabled_at === null &&
      nextTryAt <= updatedRow.give_up_at;
    await queries<DeliveryRow>('webhook_deliveries')
      .where({ id })
      .update({
        state: error === null ? 'delivered' : mayTryAgain ? 'pending' : 'failed',
        last_status: status,
        last_error: error,
        last_tried_at: now,
        ...(mayTryAgain ? { turn: turn + 1, next_try_at: nextTryAt } : { next_try_at: null, ended_at: now }),
      });
    if (mayTryAgain) {
      const job = { data: { delivery: id, turn: turn + 1 }, startAfter: new Date(nextTryAt) };
      await queue.send(DELIVERY_JOBS, [job], queries);
    }
  }
  const failingSince = error === null ? null : (endpoint.failing_since ?? now);
  if (failingSince !== endpoint.failing_since)
    await queries<EndpointRow>('webhook_endpoints')
      .where({ id: endpointId })
      .update({ failing_since: failingSince });
  if (failingSince === null || endpoint.disabled_at !== null) return null;
  const reason =
    status === HTTP_GONE
      ? 'the address responded with status 410 (gone)'
      : await findLastingFault(queries, endpointId, failingSince, now);
  if (reason !== null) await disable(queries, endpointId, reason, now);
  return reason;
}

/** Time without a successful delivery after which an endpoint is disabled. */
const FAILING_LIMIT_MS = 86_400_000;
/** Minimum number of events that must have failed in that time, because one event may itself be the cause. */
const FAILING_EVENTS = 3;

/** Returns the reason to disable an endpoint that has failed since `failingSince`, or null. */
async function findLastingFault(
  queries: Queries,
  endpointId: string,
  failingSince: number,
  now: number,
): Promise<string | null> {
  if (now - failingSince < FAILING_LIMIT_MS) return null;
  const failing = await queries<DeliveryRow>('webhook_deliveries')
    .where({ endpoint_id: endpointId })
    .where('last_tried_at', '>=', failingSince)
    .whereNot({ state: 'delivered' })
    .limit(FAILING_EVENTS)
    .select('id');
  return failing.length < FAILING_EVENTS ? null : 'no event could be delivered for 24 hours';
}

/** Disables an endpoint and marks its pending deliveries as failed. */
async function disable(queries: Queries, endpointId: string, reason: string, now: number): Promise<void> {
  await queries<EndpointRow>('webhook_endpoints')
    .where({ id: endpointId })
    .update({ disabled_at: now, disabled_reason: reason });
  await failPending(queries, endpointId, now);
}

/** Marks the pending deliveries of a disabled endpoint as failed. */
async function failPending(queries: Queries, endpointId: string, now: number): Promise<void> {
  await queries<DeliveryRow>('webhook_deliveries')
    .where({ endpoint_id: endpointId, state: 'pending' })
    .update({ state: 'failed', last_error: 'the webhook was disabled', next_try_at: null, ended_at: now });
}
