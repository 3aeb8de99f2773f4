// Console routes of the account's webhooks and their deliveries.
import { readQuery } from '../../http/body/query.js';
import { AccountFault } from '../../../accounts/accounts.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { readJson } from '../../http/body/read-json.js';
import type { Queue } from '../../../storage/queue/queue.js';
import { listDeliveries, redeliver, sendTest } from '../../webhooks/deliveries.js';
import {
  changeEvents,
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  MAX_ENDPOINTS,
  rotateSecret,
  type Endpoint,
  EVENT_TYPES,
} from '../../webhooks/endpoints.js';
import { presentDelivery, presentEndpoint } from '../../webhooks/present.js';
import { answer, asMember, memberOf, type ConsoleContext, type Handler } from '../state.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';
import { DeliveriesQuery, EventsBody, WebhookBody } from '../schemas.js';

/** Handles GET webhooks: lists the account's webhooks. Throws CheckError not_configured. */
export function getWebhooks({ database, queue }: Services) {
  return answer(async (ctx) => {
    requireQueue(queue);
    const endpoints = await listEndpoints(database, memberOf(ctx).accountId);
    return {
      webhooks: endpoints.map(presentEndpoint),
      event_types: EVENT_TYPES,
      most: MAX_ENDPOINTS,
    };
  });
}

/**
 * Handles POST webhooks: creates a webhook and shows its secret once. Throws CheckError invalid_request,
 * invalid_url, url_not_public.
 */
export function postWebhook(deps: Services) {
  return answer(async (ctx) => {
    requireQueue(deps.queue);
    const settings = await readJson(ctx, WebhookBody);
    const { accountId } = memberOf(ctx);
    const { secret, ...endpoint } = await createEndpoint(asMember(ctx, deps), {
      accountId,
      allow: deps.allow,
      ...settings,
    });
    ctx.status = 201;
    return { ...presentEndpoint(endpoint), secret };
  });
}

/** Handles PUT webhooks/ID/events: selects the events. Throws CheckError not_found, invalid_request. */
export function putEvents(deps: Services) {
  return answer(async (ctx) => {
    const { events } = await readJson(ctx, EventsBody);
    const { id, accountId } = await requireEndpoint(deps, ctx);
    return presentEndpoint(await changeEvents(asMember(ctx, deps), id, events, accountId));
  });
}

/** Handles DELETE webhooks/ID: deletes a webhook with its delivery log. Throws CheckError not_found. */
export function deleteWebhook(deps: Services): Handler {
  return async (ctx) => {
    const { id, accountId } = await requireEndpoint(deps, ctx);
    await deleteEndpoint(asMember(ctx, deps), id, accountId);
    ctx.status = 204;
  };
}

/** Handles POST webhooks/ID/rotate: replaces the secret and shows it once. Throws CheckError not_found. */
export function postRotation(deps: Services) {
  return answer(async (ctx) => {
    const { id, accountId } = await requireEndpoint(deps, ctx);
    const { secret, ...endpoint } = await rotateSecret(asMember(ctx, deps), id, accountId);
    return { ...presentEndpoint(endpoint), secret };
  });
}

/** Handles POST webhooks/ID/enable: enables a disabled webhook. Throws CheckError not_found. */
export function postEnabling(deps: Services) {
  return answer(async (ctx) => {
    const { id, accountId } = await requireEndpoint(deps, ctx);
    const endpoint = await enableEndpoint(asMember(ctx, deps), id, accountId);
    return presentEndpoint(endpoint);
  });
}

/**
 * Handles POST webhooks/ID/test: queues a test event. The delivery log shows the outcome. Throws CheckError
 * not_found, invalid_request.
 */
export function postTest(deps: Services) {
  return answer(async (ctx) => {
    const endpoint = await requireEndpoint(deps, ctx);
    const delivery = await sendTest(deps.database, requireQueue(deps.queue), endpoint);
    ctx.status = 202;
    return presentDelivery(delivery);
  });
}

/** Handles GET webhooks/ID/deliveries: lists deliveries. Throws CheckError not_found, invalid_request. */
export function getDeliveries(deps: Services) {
  return answer(async (ctx) => {
    const { before } = readQuery(ctx, DeliveriesQuery);
    const { id } = await requireEndpoint(deps, ctx);
    const { deliveries, next } = await listDeliveries(deps.database, id, before);
    return { deliveries: deliveries.map(presentDelivery), next };
  });
}

/**
 * Handles POST webhooks/ID/deliveries/ID/redeliver: sends an event again. Throws CheckError not_found,
 * invalid_request.
 */
export function postRedelivery(deps: Services) {
  return answer(async (ctx) => {
    const endpoint = await requireEndpoint(deps, ctx);
    const deliveryId = paramOf(ctx, 'delivery');
    const queue = requireQueue(deps.queue);
    const delivery = await redeliver(deps.database, queue, endpoint, deliveryId);
    ctx.status = 202;
    return presentDelivery(delivery);
  });
}

function requireQueue(queue: Queue | null): Queue {
  if (queue) return queue;
  throw new CheckError(
    'not_configured',
    'webhooks tell of scans, and both need PostgreSQL: TELLTALE_DATABASE_URL=postgres://... enables them',
  );
}

/** Returns the webhook named in the path. Throws CheckError not_found if the account has no such webhook. */
async function requireEndpoint({ database, queue }: Services, ctx: ConsoleContext): Promise<Endpoint> {
  requireQueue(queue);
  try {
    return await findEndpoint(database, paramOf(ctx, 'id'), memberOf(ctx).accountId);
  } catch (error) {
    throw error instanceof AccountFault ? new CheckError('not_found', error.message) : error;
  }
}
