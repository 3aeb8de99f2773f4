// Console routes of the account's webhooks and their deliveries.
import type { Static } from '@sinclair/typebox';
import type { Database } from '../../../storage/db/database.js';
import { listDeliveries, presentDelivery, redeliver, sendTest } from '../../webhooks/deliveries.js';
import {
  changeEvents,
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  MAX_ENDPOINTS,
  presentEndpoint,
  presentNewEndpoint,
  requirePostgres,
  rotateSecret,
  type Endpoint,
  EVENT_TYPES,
} from '../../webhooks/endpoints.js';
import { asMember, memberOf, type ConsoleContext } from '../session.js';
import type { Middleware } from '../../http/route.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';
import type { DeliveriesQuery, EventsBody, WebhookBody } from '../schemas.js';

/** Handles GET webhooks: lists the account's webhooks. Throws CheckError not_configured. */
export function getWebhooks({ database, queue }: Services) {
  return async (ctx: ConsoleContext) => {
    requirePostgres(queue);
    const endpoints = await listEndpoints(database, memberOf(ctx).accountId);
    return { webhooks: endpoints.map(presentEndpoint), event_types: EVENT_TYPES, most: MAX_ENDPOINTS };
  };
}

/** Creates middleware that refuses requests without PostgreSQL. Throws CheckError not_configured. */
export function requireQueue({ queue }: Services): Middleware {
  return async (_, next) => {
    requirePostgres(queue);
    await next();
  };
}

/**
 * Handles POST webhooks: creates a webhook and shows its secret once. Throws CheckError invalid_request,
 * invalid_url, url_not_public.
 */
export function postWebhook(deps: Services) {
  return async (ctx: ConsoleContext, { url, events }: Static<typeof WebhookBody>) => {
    const endpoint = { accountId: memberOf(ctx).accountId, url, events, allow: deps.allow };
    return presentNewEndpoint(await createEndpoint(asMember(ctx, deps), endpoint));
  };
}

/** Handles PUT webhooks/ID/events: selects the events. Throws CheckError not_found, invalid_request. */
export function putEvents(deps: Services) {
  return async (ctx: ConsoleContext, { events }: Static<typeof EventsBody>) => {
    const [database, id, accountId] = locate(ctx, deps);
    return presentEndpoint(await changeEvents(database, id, events, accountId));
  };
}

/** Handles DELETE webhooks/ID: deletes a webhook with its delivery log. Throws CheckError not_found. */
export function deleteWebhook(deps: Services) {
  return async (ctx: ConsoleContext) => {
    await deleteEndpoint(...locate(ctx, deps));
  };
}

/** Handles POST webhooks/ID/rotate: replaces the secret and shows it once. Throws CheckError not_found. */
export function postRotation(deps: Services) {
  return async (ctx: ConsoleContext) => presentNewEndpoint(await rotateSecret(...locate(ctx, deps)));
}

/** Handles POST webhooks/ID/enable: enables a disabled webhook. Throws CheckError not_found. */
export function postEnabling(deps: Services) {
  return async (ctx: ConsoleContext) => presentEndpoint(await enableEndpoint(...locate(ctx, deps)));
}

/**
 * Handles POST webhooks/ID/test: queues a test event. The delivery log shows the outcome. Throws CheckError
 * not_found, invalid_request.
 */
export function postTest(deps: Services) {
  return async (ctx: ConsoleContext) => {
    const endpoint = await findOwn(ctx, deps);
    const delivery = await sendTest(deps.database, requirePostgres(deps.queue), endpoint);
    return presentDelivery(delivery);
  };
}

/** Handles GET webhooks/ID/deliveries: lists deliveries. Throws CheckError not_found, invalid_request. */
export function getDeliveries(deps: Services) {
  return async (ctx: ConsoleContext, { before }: Static<typeof DeliveriesQuery>) => {
    const { id } = await findOwn(ctx, deps);
    const { rows, next } = await listDeliveries(deps.database, id, before);
    return { deliveries: rows.map(presentDelivery), next };
  };
}

/**
 * Handles POST webhooks/ID/deliveries/ID/redeliver: sends an event again. Throws CheckError not_found,
 * invalid_request.
 */
export function postRedelivery(deps: Services) {
  return async (ctx: ConsoleContext) => {
    const [endpoint, queue] = [await findOwn(ctx, deps), requirePostgres(deps.queue)];
    const delivery = await redeliver(deps.database, queue, endpoint, paramOf(ctx, 'delivery'));
    return presentDelivery(delivery);
  };
}

/** Returns the arguments of operations on the webhook named in the path. Throws CheckError not_configured. */
function locate(ctx: ConsoleContext, deps: Services): [Database, string, string] {
  requirePostgres(deps.queue);
  return [asMember(ctx, deps), paramOf(ctx, 'id'), memberOf(ctx).accountId];
}

/** Returns the webhook named in the path. Rejects if the account has no such webhook. */
function findOwn(ctx: ConsoleContext, deps: Services): Promise<Endpoint> {
  return findEndpoint(...locate(ctx, deps));
}
