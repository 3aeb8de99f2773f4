// A webhook of the account: its address, state, actions and deliveries.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { NewWebhook } from '../../../src/service/console/shapes.js';
import type { PresentedEndpoint } from '../../../src/service/webhooks/endpoints.js';
import type { EventType } from '../../../src/service/webhooks/endpoints.js';
import { call, messageOf } from '../api.js';
import { formatDay, formatMoment } from '../format.js';
import { Confirm } from './confirm.js';
import { DeliveryLog } from './delivery-log.js';
import { EventChoices } from './event-choices.js';
import { Fault } from './fault.js';
import { FormDialog } from './form-dialog.js';

/** Draws a webhook. Calls `onChange` after a change or deletion, and `onSecret` with a new secret to show. */
export function WebhookCard(props: {
  webhook: PresentedEndpoint;
  /** All event types that a webhook can receive. */
  types: readonly EventType[];
  onChange: () => void;
  onSecret: (webhook: NewWebhook) => void;
}): JSX.Element {
  const { webhook, onChange } = props;
  const path = `/webhooks/${webhook.id}`;
  const [openedDialog, setOpenedDialog] = useState<'events' | 'rotate' | 'delete' | null>(null);
  const [fault, setFault] = useState('');
  // Number of test events sent from here. The log of deliveries reloads after each.
  const [testCount, setTestCount] = useState(0);
  const act = (work: Promise<unknown>): void => {
    setFault('');
    work.then(
      () => {
        setTestCount((count) => count + 1);
        onChange();
      },
      (error: unknown) => setFault(messageOf(error)),
    );
  };
  return (
    <section class="card flush" aria-label={webhook.url}>
      <header class="card-head inside">
        <div>
          <h2>
            <code>{webhook.url}</code>
          </h2>
          <p class="quiet">
            {webhook.events.join(', ')}; since {formatDay(webhook.created_at)}
          </p>
          <Standing webhook={webhook} />
        </div>
        <div class="actions">
          <SendOrEnable
            webhook={webhook}
            onSend={() => act(call('POST', `${path}/test`))}
            onEnable={() => act(call('POST', `${path}/enable`))}
          />
          <button type="button" onClick={() => setOpenedDialog('events')}>
            Change events
          </button>
          <button type="button" onClick={() => setOpenedDialog('rotate')}>
            Rotate the secret
          </button>
          <button type="button" class="plain danger" onClick={() => setOpenedDialog('delete')}>
            Delete
          </button>
        </div>
      </header>
      <Fault fault={fault} />
      <DeliveryLog webhook={webhook} reloadCount={testCount} onEnded={onChange} />
      {openedDialog !== null && (
        <AskedDialog {...props} openedDialog={openedDialog} onClose={() => setOpenedDialog(null)} />
      )}
    </section>
  );
}

/** Draws the button to send a test event, or to enable a disabled webhook. */
function SendOrEnable(props: {
  webhook: PresentedEndpoint;
  onSend: () => void;
  onEnable: () => void;
}): JSX.Element {
  const { webhook, onSend, onEnable } = props;
  return webhook.disabled_at === null ? (
    <button type="button" onClick={onSend}>
      Send a test event
    </button>
  ) : (
    <button type="button" onClick={onEnable}>
      Enable
    </button>
  );
}

function EventsDialog(props: {
  webhook: PresentedEndpoint;
  types: readonly EventType[];
  onChange: () => void;
  onClose: () => void;
}): JSX.Element {
  const { webhook, types, onChange, onClose } = props;
  const send = (fields: FormData): Promise<void> =>
    call('PUT', `/webhooks/${webhook.id}/events`, { events: fields.getAll('event') })
      .then(onChange)
      .then(onClose);
  return (
    <FormDialog title="Change events" submitLabel="Save" send={send} onClose={onClose}>
      <EventChoices types={types} chosen={webhook.events} />
    </FormDialog>
  );
}

/** Draws the open dialog: choosing events, or confirming that the secret is replaced or the webhook deleted. */
function AskedDialog(props: {
  webhook: PresentedEndpoint;
  types: readonly EventType[];
  openedDialog: 'events' | 'rotate' | 'delete';
  onChange: () => void;
  onSecret: (webhook: NewWebhook) => void;
  onClose: () => void;
}): JSX.Element {
  const { webhook, openedDialog, onChange, onSecret, onClose } = props;
  const path = `/webhooks/${webhook.id}`;
  if (openedDialog === 'events') return <EventsDialog {...props} />;
  return openedDialog === 'rotate' ? (
    <Confirm
      title="Rotate the secret?"
      text="A new secret signs from now on. The present secret also signs for 24 hours, so that your server can switch, and so do secrets replaced within the last 24 hours."
      confirmLabel="Rotate"
      act={() =>
        call<NewWebhook>('POST', `${path}/rotate`).then((rotated) => {
          onSecret(rotated);
          onChange();
        })
      }
      onClose={onClose}
    />
  ) : (
    <Confirm
      title="Delete this webhook?"
      text="Nothing more is sent to it, not even waiting events. Its log is deleted."
      confirmLabel="Delete"
      act={() => call('DELETE', path).then(onChange)}
      onClose={onClose}
    />
  );
}

function Standing({ webhook }: { webhook: PresentedEndpoint }) {
  const { disabled_at: disabled, disabled_reason: reason, failing_since: failing } = webhook;
  const { former_secret_until: overlap } = webhook;
  return (
    <>
      {disabled !== null && (
        <p class="fault">
          Disabled since {formatMoment(disabled)}: {reason}.
        </p>
      )}
      {disabled === null && failing !== null && (
        <p class="fault">No delivery has succeeded since {formatMoment(failing)}; it is tried again.</p>
      )}
      {overlap !== null && new Date(overlap) > new Date() && (
        <p class="quiet">The previous secret also signs until {formatMoment(overlap)}.</p>
      )}
    </>
  );
}
