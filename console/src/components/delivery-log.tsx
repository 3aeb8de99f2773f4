// A list of the events sent to a webhook, with a button to send one again.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DeliveryPage } from '../../../src/service/console/shapes.js';
import type { PresentedDelivery } from '../../../src/service/webhooks/deliveries.js';
import type { PresentedEndpoint } from '../../../src/service/webhooks/endpoints.js';
import { call, messageOf } from '../api.js';
import { formatMoment } from '../format.js';
import { DataTable } from './data-table.js';
import { Fault } from './fault.js';

/** Pause in milliseconds between two requests for the state of pending deliveries. */
const POLL_MS = 2000;

/**
 * Draws the log. Reloads it when `reloadCount` changes and while a delivery is due. Calls `onEnded` when one ends.
 */
export function DeliveryLog(props: {
  webhook: PresentedEndpoint;
  reloadCount: number;
  onEnded: () => void;
}): JSX.Element {
  const { webhook } = props;
  const { rows, next, fault, loadMore, sendAgain } = useDeliveries(props);
  return (
    <>
      <Fault fault={fault} />
      <DataTable
        name="Deliveries"
        heads={['Event', 'Time', 'State', { number: 'Tries' }, 'Last answer', 'Next try']}
        hasActions
        empty="Nothing was sent yet."
      >
        {rows.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            onSendAgain={webhook.disabled_at === null ? () => sendAgain(delivery) : null}
          />
        ))}
      </DataTable>
      {next !== null && (
        <button type="button" class="more" onClick={() => loadMore(next)}>
          Older deliveries
        </button>
      )}
    </>
  );
}

/** Loads the deliveries page by page. Returns the rows so far, and the cursor of the next page. */
function useDeliveries(props: { webhook: PresentedEndpoint; reloadCount: number; onEnded: () => void }): {
  rows: readonly PresentedDelivery[];
  next: string | null;
  fault: string;
  loadMore: (before: string) => void;
  sendAgain: (delivery: PresentedDelivery) => void;
} {
  const { webhook, reloadCount, onEnded } = props;
  const path = `/webhooks/${webhook.id}/deliveries`;
  const [rows, setRows] = useState<readonly PresentedDelivery[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [fault, setFault] = useState('');

  const load = async (before: string | null): Promise<void> => {
    const page = await call<DeliveryPage>('GET', before === null ? path : `${path}?before=${before}`);
    setRows((shown) => (before === null ? page.deliveries : [...shown, ...page.deliveries]));
    setNext(page.next);
  };
  const attempt = (work: Promise<unknown>): void =>
    void work.then(() => setFault('')).catch((error: unknown) => setFault(messageOf(error)));

  useEffect(() => attempt(load(null)), [path, reloadCount]);
  const isWaiting = rows.some(isDue);
  const wasWaiting = useRef(false);
  useEffect(() => {
    if (wasWaiting.current && !isWaiting) onEnded();
    wasWaiting.current = isWaiting;
    if (!isWaiting) return;
    const timer = setInterval(() => attempt(load(null)), POLL_MS);
    return () => clearInterval(timer);
  }, [isWaiting, path]);

  const sendAgain = (delivery: PresentedDelivery): void =>
    attempt(call('POST', `${path}/${delivery.id}/redeliver`).then(() => load(null)));
  return { rows, next, fault, loadMore: (before) => attempt(load(before)), sendAgain };
}

/** Draws one delivery. `onSendAgain` is null if the event can't be sent again. */
function DeliveryRow(props: { delivery: PresentedDelivery; onSendAgain: (() => void) | null }): JSX.Element {
  const { delivery, onSendAgain } = props;
  return (
    <tr>
      <td>
        {delivery.type}
        <br />
        <code class="quiet small">{delivery.event_id}</code>
      </td>
      <td>{formatMoment(delivery.created_at)}</td>
      <td>{delivery.state}</td>
      <td class="number">{delivery.tries}</td>
      <td>{describeAnswer(delivery)}</td>
      <td>{delivery.next_try_at === null ? '–' : formatMoment(delivery.next_try_at)}</td>
      <td class="end">
        {onSendAgain && (
          <button type="button" class="plain" onClick={onSendAgain}>
            Send again<span class="sr"> {delivery.event_id}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

function describeAnswer({ state, tries, last_error: error, last_status: status }: PresentedDelivery): string {
  if (tries === 0 && state === 'pending') return 'waits for a worker';
  return error ?? String(status ?? '–');
}

/** Returns whether the next attempt is due within a minute. */
function isDue({ next_try_at: next }: PresentedDelivery): boolean {
  return next !== null && new Date(next).getTime() - Date.now() < 60_000;
}
