// One try: signs, posts, and writes down what became of the delivery and of its endpoint.
import type { Database, Queries } from '../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Poster } from '../outbound/post.js';
import type { Job } from '../../storage/queue/job-kind.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { AccountPlaces } from './account-places.js';
import { DELIVERY_JOBS, type DeliveryJob, type DeliveryRow } from './deliveries.js';
import type { FetchAllow } from '../outbound/fetch-allow.js';
import { readEndpointUrl, secretsInForce, type EndpointRow } from './endpoints.js';
import { signMessage } from './signature.js';
import { hostOf, within, type Traces } from '../traces/span.js';

const FIRST_PAUSE_MS = 5000;
/** Each pause is this many times the one before ... */
const GROWTH = 4;
/** ... up to this one. */
const LONGEST_PAUSE_MS = 4 * 3_600_000;

/**
 * Milliseconds from the try with the number `tries`, the first being 1, to the next. They are about 5 s, 20 s, 80 s, 5
 * min, 21 min, 85 min, and then 4 h. That makes some twelve tries in 24 hours. Up to a quarter more or less by chance,
 * so that what failed together does not come back together.
 */
export function retryDelay(tries: number): number {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** (tries - 1));
  return Math.round(pauseMs * (0.75 + Math.random() / 2));
}

const GONE = 410;

/** What a try works with. */
interface DeliverDeps {
  readonly database: Database;
  readonly queue: Queue;
  readonly traces: Traces;
  readonly poster: Poster;
  /** What may be reached beyond public addresses. */
  readonly allow: FetchAllow | null;
  readonly places: AccountPlaces;
  /** Hears of an endpoint that is disabled, and why. */
  readonly onDisabled: (endpointId: string, reason: string) => void;
  /** For tests: milliseconds from the try with this number, the first being 1, to the next. */
  readonly pauseMs?: (tries: number) => number;
}

/** What came back: a status, or, if no answer came, why. */
interface Outcome {
  readonly status: number | null;
  /** Null if the event arrived. */
  readonly error: string | null;
  /** The status, or the code of the error, for the trace. */
  readonly code: string;
}

/**
 * Tries the delivery of a job once, or puts it off if its account has as many tries under way as it may. Rejects if
 * the database can't be reached: the job is then tried again. An event that had arrived by then comes twice, with one
 * webhook-id.
 */
export async function deliver(deps: DeliverDeps, job: Job<DeliveryJob>): Promise<void> {
  const due = await findDue(deps.database, job.data);
  if (!due) return;
  if (due.endpoint.disabled_at !== null) {
    // Written down by somebody who had not seen yet that it was disabled.
    await deps.database.run((queries) => failPending(queries, due.endpoint.id, Date.now()));
    return;
  }
  const { account_id: accountId } = due.endpoint;
  const outcome = await deps.places.run(accountId, () => postTraced(deps, due.delivery, due.endpoint));
  if (outcome === null) return putOff(deps, job, accountId);
  const disabled = await deps.database.transaction(async (queries) => {
    // A job that outlived its lease is another's by now, and so is the record.
    const isOurs = await deps.queue.complete(DELIVERY_JOBS, job, queries);
    return isOurs ? record(deps, queries, due.delivery, outcome) : null;
  });
  if (disabled !== null) deps.onDisabled(due.endpoint.id, disabled);
}

/** Null for a job of no use: what it is for has ended, was sent again by hand, or has lost its endpoint. */
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

/** Gives the loop back: what waited in it for a place would hold up the events of others. */
async function putOff(
  { database, queue, places }: DeliverDeps,
  job: Job<DeliveryJob>,
  accountId: string,
): Promise<void> {
  const { delivery: id, turn } = job.data;
  const nextTryAt = places.nextTurn(accountId);
  await database.transaction(async (queries) => {
    if (!(await queue.complete(DELIVERY_JOBS, job, queries))) return;
    await queries<DeliveryRow>('webhook_deliveries')
      .where({ id, turn, state: 'pending' })
      .update({ next_try_at: nextTryAt });
    await queue.send(DELIVERY_JOBS, [{ data: job.data, startAfter: new Date(nextTryAt) }], queries);
  });
}

/** The receiver learns nothing of the trace. */
function postTraced(deps: DeliverDeps, delivery: DeliveryRow, endpoint: EndpointRow): Promise<Outcome> {
  const facts = {
    ...hostOf(endpoint.url),
    'telltale.delivery_id': delivery.id,
    'telltale.event': delivery.type,
    'telltale.try': delivery.tries + 1,
  };
  return within(deps.traces.begin('webhook delivery', { kind: 'client', facts }), async (span) => {
    const outcome = await post(deps, delivery, endpoint);
    if (outcome.status !== null) span.note({ 'http.response.status_code': outcome.status });
    if (outcome.error !== null) span.fail(outcome.code, true);
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
    ...signMessage(message, secretsInForce(endpoint, now), now),
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
  return `the address answered with status ${status}${isRedirect ? '; redirects are not followed' : ''}`;
}

/** Gives the reason if the endpoint is disabled by this, else null. */
async function record(
  { queue, pauseMs = retryDelay }: DeliverDeps,
  queries: Queries,
  delivery: DeliveryRow,
  { status, error }: Outcome,
): Promise<string | null> {
  const { id, endpoint_id: endpointId, turn } = delivery;
  // The endpoint first, always: two that lock in different orders would wait for each other.
  const endpoint = await queries<EndpointRow>('webhook_endpoints')
    .where({ id: endpointId })
    .forNoKeyUpdate()
    .first();
  if (!endpoint) return null;
  const now = Date.now();
  // A try that a redelivery has outrun was one, too: it counts, and what becomes of the delivery is the other's to say.
  const [counted] = await queries<DeliveryRow>('webhook_deliveries')
    .where({ id })
    .update({ tries: queries.raw('tries + 1') as unknown as number })
    .returning(['turn', 'tries', 'give_up_at']);
  if (counted?.turn === turn) {
    const nextTryAt = now + pauseMs(counted.tries);
    const mayTryAgain =
      error !== null && status !== GONE && endpoint.disabled_at === null && nextTryAt <= counted.give_up_at;
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
    status === GONE
      ? 'the address answered with status 410: it wants no more'
      : await findLastingFault(queries, endpointId, failingSince, now);
  if (reason !== null) await disable(queries, endpointId, reason, now);
  return reason;
}

/** An endpoint at which nothing arrived for this long is disabled ... */
const FAILING_LIMIT_MS = 86_400_000;
/** ... if at least this many events were tried meanwhile: one alone may be at fault itself. */
const FAILING_EVENTS = 3;

/** Why an endpoint that has failed since `failingSince` is to be disabled; null while it may recover. */
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
  return failing.length < FAILING_EVENTS ? null : 'nothing arrived for 24 hours, of several events';
}

/** Disables it, and ends what waits for it. */
async function disable(queries: Queries, endpointId: string, reason: string, now: number): Promise<void> {
  await queries<EndpointRow>('webhook_endpoints')
    .where({ id: endpointId })
    .update({ disabled_at: now, disabled_reason: reason });
  await failPending(queries, endpointId, now);
}

/** Ends what waits for a disabled endpoint. */
async function failPending(queries: Queries, endpointId: string, now: number): Promise<void> {
  await queries<DeliveryRow>('webhook_deliveries')
    .where({ endpoint_id: endpointId, state: 'pending' })
    .update({ state: 'failed', last_error: 'the webhook was disabled', next_try_at: null, ended_at: now });
}
