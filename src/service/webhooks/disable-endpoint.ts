// When an endpoint that fails is disabled, and what that ends.
import type { Queries } from '../../storage/db/database.js';
import type { DeliveryRow } from './deliveries.js';
import type { EndpointRow } from './endpoints.js';

/** An endpoint at which nothing arrived for this long is disabled ... */
const FAILING_LIMIT_MS = 86_400_000;
/** ... if at least this many events were tried meanwhile: one alone may be at fault itself. */
const FAILING_EVENTS = 3;

/** Why an endpoint that has failed since `failingSince` is to be disabled; null while it may recover. */
export async function findLastingFault(
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
export async function disable(
  queries: Queries,
  endpointId: string,
  reason: string,
  now: number,
): Promise<void> {
  await queries<EndpointRow>('webhook_endpoints')
    .where({ id: endpointId })
    .update({ disabled_at: now, disabled_reason: reason });
  await failPending(queries, endpointId, now);
}

/** Ends what waits for a disabled endpoint. */
export async function failPending(queries: Queries, endpointId: string, now: number): Promise<void> {
  await queries<DeliveryRow>('webhook_deliveries')
    .where({ endpoint_id: endpointId, state: 'pending' })
    .update({ state: 'failed', last_error: 'the webhook was disabled', next_try_at: null, ended_at: now });
}
