// Converts webhook endpoints and deliveries to JSON for the console and the command line.
import type { Delivery } from './deliveries.js';
import type { Endpoint } from './endpoints.js';

/** Returns an endpoint as JSON without its secrets. */
export function presentEndpoint(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events,
    created_at: endpoint.createdAt.toISOString(),
    /** Time until which the secret from before the last replacement also signs. */
    former_secret_until: endpoint.formerSecretUntil?.toISOString() ?? null,
    /** Time of the first failed attempt since the last success. */
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    disabled_at: endpoint.disabledAt?.toISOString() ?? null,
    disabled_reason: endpoint.disabledReason,
  };
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

/** An endpoint as JSON. */
export type PresentedEndpoint = ReturnType<typeof presentEndpoint>;
/** A delivery as JSON. */
export type PresentedDelivery = ReturnType<typeof presentDelivery>;
