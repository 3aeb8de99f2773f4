// Endpoints and deliveries as JSON, for the console and the command line. Moments are RFC 3339.
import type { Delivery, DeliveryState } from './deliveries.js';
import type { Endpoint } from './endpoints.js';
import type { EventType } from './event-types.js';

/** An endpoint, without its secrets. */
export interface PresentedEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly created_at: string;
  /** Until when the secret before a rotation signs along. */
  readonly former_secret_until: string | null;
  /** First failed try since the last event that arrived. */
  readonly failing_since: string | null;
  readonly disabled_at: string | null;
  readonly disabled_reason: string | null;
}

/** One event for one endpoint. */
export interface PresentedDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly tries: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly last_tried_at: string | null;
  readonly next_try_at: string | null;
  readonly ended_at: string | null;
}

/** An endpoint as JSON. */
export function presentEndpoint(endpoint: Endpoint): PresentedEndpoint {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events,
    created_at: endpoint.createdAt.toISOString(),
    former_secret_until: endpoint.formerSecretUntil?.toISOString() ?? null,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    disabled_at: endpoint.disabledAt?.toISOString() ?? null,
    disabled_reason: endpoint.disabledReason,
  };
}

/** A delivery as JSON. */
export function presentDelivery(delivery: Delivery): PresentedDelivery {
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
