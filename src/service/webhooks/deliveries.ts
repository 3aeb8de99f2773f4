// Webhook deliveries in the database, one row for each event and endpoint. Ended deliveries stay as the log.
import { ulid } from 'ulid';
import { AccountFault } from '../../accounts/accounts.js';
import { cutPage, type Page } from '../../accounts/page.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import type { JobKind } from '../../storage/queue/job-kind.js';
import type { Queue } from '../../storage/queue/queue.js';
import { dateOf, type EndpointRow, TEST_TYPE, type EventType } from './endpoints.js';

/** Milliseconds after which an undelivered event is given up. */
const TRY_FOR_MS = 86_400_000;
/** Milliseconds after which ended deliveries are deleted from the log. */
const LOG_MS = 30 * 86_400_000;
const PAGE_ROWS = 50;
/** Maximum number of pending deliveries of an endpoint. Enough for the events of about nine scans. */
const MAX_PENDING = 100;
const TOO_MANY = `${MAX_PENDING} deliveries of this webhook wait`;

type DeliveryState = 'pending' | 'delivered' | 'failed';

/** Delivery of one event to one endpoint. */
export interface Delivery {
  /** Identifier: `whd_` and a ULID. */
  readonly id: string;
  readonly endpointId: string;
  /**
   * Identifier of the event in header webhook-id: `evt_` and a ULID, the same for all endpoints and attempts.
   */
  readonly eventId: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly tries: number;
  /** HTTP status of the last response, or null. */
  readonly lastStatus: number | null;
  /** Error of the last attempt, or null. */
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly lastTriedAt: Date | null;
  /** Time of the next attempt, or null if the delivery has ended. */
  readonly nextTryAt: Date | null;
  readonly endedAt: Date | null;
}

/** Row of the table `webhook_deliveries`. */
export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  type: string;
  body: string;
  state: DeliveryState;
  turn: number;
  tries: number;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
  last_tried_at: number | null;
  next_try_at: number | null;
  give_up_at: number;
  ended_at: number | null;
}

/** Job for one delivery attempt. It is obsolete if its `turn` differs from the delivery's `turn`. */
export interface DeliveryJob {
  readonly delivery: string;
  readonly turn: number;
}

/** Queue settings for jobs that attempt a delivery once. Their retries are only for errors of the service. */
export const DELIVERY_JOBS: JobKind<DeliveryJob> = {
  name: 'webhook-delivery',
  // Longer than an attempt and the recording of its result can take.
  leaseSeconds: 30,
  retries: 10_000,
  retryPauseSeconds: 5,
  pauseGrows: false,
  keepDays: 30,
};

/** An event to deliver. */
interface WebhookEvent {
  readonly type: EventType;
  readonly at: Date;
  /** Field `data` of the request's body. Must be small. */
  readonly data: object;
}

/**
 * Records an event for each endpoint of the account that selected it, and queues the deliveries, in the
 * transaction that causes the event. If an endpoint has too many pending deliveries, this one is logged as
 * failed and can be sent by hand.
 */
export async function recordEvent(
  queries: Queries,
  queue: Queue,
  accountId: string,
  event: WebhookEvent,
): Promise<void> {
  const endpoints = await queries<EndpointRow>('webhook_endpoints')
    .where({ account_id: accountId })
    .whereNull('disabled_at')
    .select();
  const wanting = endpoints.filter(({ events }) => events.split(',').includes(event.type));
  await insertDeliveries(queries, queue, wanting, event);
}

/** Sends a test event. Throws AccountFault if the endpoint is disabled or has too many pending deliveries. */
export async function sendTest(
  database: Database,
  queue: Queue,
  endpoint: { readonly id: string; readonly disabledAt: Date | null },
): Promise<Delivery> {
  if (endpoint.disabledAt) throw new AccountFault('This webhook is disabled. Enable it first');
  const event = { type: TEST_TYPE, at: new Date(), data: { webhook: endpoint.id } };
  const [row] = await database.transaction(async (queries) => {
    await requirePendingBelowLimit(queries, endpoint.id);
    return insertDeliveries(queries, queue, [endpoint], event);
  });
  if (!row) throw new Error('one endpoint has one delivery');
  return readDelivery(row);
}

/** Returns a delivery, or null if the identifier is unknown. */
export async function findDelivery(database: Database, id: string): Promise<Delivery | null> {
  const row = await database.run((queries) =>
    queries<DeliveryRow>('webhook_deliveries').where({ id }).first(),
  );
  return row ? readDelivery(row) : null;
}

/** Lists an endpoint's deliveries, newest first. `before` is the last identifier of the previous page. */
export async function listDeliveries(
  database: Database,
  endpointId: string,
  before?: string,
): Promise<Page<Delivery>> {
  const rows = await database.run((queries) => {
    const query = queries<DeliveryRow>('webhook_deliveries')
      .where({ endpoint_id: endpointId })
      .orderBy('id', 'desc')
      .limit(PAGE_ROWS + 1)
      .select();
    return before === undefined ? query : query.where('id', '<', before);
  });
  return cutPage(rows.map(readDelivery), PAGE_ROWS);
}

/**
 * Sends an event again immediately and retries for another 24 hours. Throws AccountFault if the endpoint has
 * no such delivery, is disabled, or has too many pending deliveries.
 */
export async function redeliver(
  database: Database,
  queue: Queue,
  endpoint: { readonly id: string; readonly disabledAt: Date | null },
  id: string,
): Promise<Delivery> {
  if (endpoint.disabledAt) throw new AccountFault('This webhook is disabled. Enable it first');
  const now = Date.now();
  const redelivery = await database.transaction(async (queries) => {
    await requirePendingBelowLimit(queries, endpoint.id);
    const [row] = await queries<DeliveryRow>('webhook_deliveries')
      .where({ id, endpoint_id: endpoint.id })
      .update({
        state: 'pending',
        turn: queries.raw('turn + 1') as unknown as number,
        next_try_at: now,
        give_up_at: now + TRY_FOR_MS,
        ended_at: null,
      })
      .returning('*');
    if (row) await queue.send(DELIVERY_JOBS, [{ data: { delivery: row.id, turn: row.turn } }], queries);
    return row;
  });
  if (!redelivery) throw new AccountFault('This webhook has no such delivery');
  return readDelivery(redelivery);
}

/** Deletes deliveries that ended long ago, and former secrets that no longer sign. */
export async function sweepWebhooks(database: Database): Promise<void> {
  const now = Date.now();
  await deleteInPieces(database, 'webhook_deliveries', (rows) => rows.where('ended_at', '<=', now - LOG_MS));
  await database.run((queries) =>
    queries<EndpointRow>('webhook_endpoints')
      .where('former_secret_until', '<=', now)
      .update({ former_secret: null, former_secret_until: null }),
  );
}

/**
 * Returns whether the endpoint may have another pending delivery. Takes no lock, so concurrent calls may
 * exceed the maximum by a few.
 */
async function isPendingBelowLimit(queries: Queries, endpointId: string): Promise<boolean> {
  const pending = await queries<DeliveryRow>('webhook_deliveries')
    .where({ endpoint_id: endpointId, state: 'pending' })
    .limit(MAX_PENDING)
    .select('id');
  return pending.length < MAX_PENDING;
}

async function requirePendingBelowLimit(queries: Queries, endpointId: string): Promise<void> {
  if (await isPendingBelowLimit(queries, endpointId)) return;
  throw new AccountFault(`${TOO_MANY}; try again when some have ended`);
}

async function insertDeliveries(
  queries: Queries,
  queue: Queue,
  endpoints: readonly { readonly id: string }[],
  { type, at, data }: Omit<WebhookEvent, 'type'> & { readonly type: string },
): Promise<DeliveryRow[]> {
  if (endpoints.length === 0) return [];
  const eventId = `evt_${ulid()}`;
  // Serialised once, because the signature must cover the same bytes in every attempt.
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
  const now = Date.now();
  const rows: DeliveryRow[] = [];
  for (const { id } of endpoints) {
    const mayWait = await isPendingBelowLimit(queries, id);
    rows.push({
      id: `whd_${ulid()}`,
      endpoint_id: id,
      event_id: eventId,
      type,
      body,
      state: mayWait ? 'pending' : 'failed',
      turn: 1,
      tries: 0,
      last_status: null,
      last_error: mayWait ? null : TOO_MANY,
      created_at: now,
      last_tried_at: null,
      next_try_at: mayWait ? now : null,
      give_up_at: now + TRY_FOR_MS,
      ended_at: mayWait ? null : now,
    });
  }
  await queries<DeliveryRow>('webhook_deliveries').insert(rows);
  const pending = rows.filter(({ state }) => state === 'pending');
  const jobs = pending.map(({ id, turn }) => ({ data: { delivery: id, turn } }));
  await queue.send(DELIVERY_JOBS, jobs, queries);
  return rows;
}

function readDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    type: row.type,
    state: row.state,
    tries: row.tries,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: new Date(row.created_at),
    lastTriedAt: dateOf(row.last_tried_at),
    nextTryAt: dateOf(row.next_try_at),
    endedAt: dateOf(row.ended_at),
  };
}

/** Counts the pending deliveries of all accounts. */
export async function countWaiting(database: Database): Promise<number> {
  const [row] = await database.run((queries) =>
    queries<DeliveryRow>('webhook_deliveries')
      .where({ state: 'pending' })
      .count<{ n: number | string }[]>({ n: '*' }),
  );
  return Number(row?.n ?? 0);
}

/** Returns a delivery as JSON. */
export function presentDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.type,
    state: delivery.state,
    tries: delivery.tries,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    created_at: delivery.createdAt.toISOString(),
    last_tried_at: delivery.lastTriedAt?.toISOString() ?? null,
    next_try_at: delivery.nextTryAt?.toISOString() ?? null,
    ended_at: delivery.endedAt?.toISOString() ?? null,
  };
}

/** A delivery as JSON. */
export type PresentedDelivery = ReturnType<typeof presentDelivery>;
