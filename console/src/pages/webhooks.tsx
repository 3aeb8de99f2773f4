// The page Webhooks: addresses to which the service sends the account's events.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Me, NewWebhook, Webhooks } from '../../../src/service/console/shapes.js';
import type { EventType } from '../../../src/service/webhooks/endpoints.js';
import { call } from '../api.js';
import { EventChoices } from '../components/event-choices.js';
import { Fault } from '../components/fault.js';
import { FormDialog } from '../components/form-dialog.js';
import { Once } from '../components/once.js';
import { PageHead } from '../components/page-head.js';
import { WebhookCard } from '../components/webhook-card.js';
import { textOf } from '../fields.js';
import { useLoaded } from '../load.js';

export function WebhooksPage({ me }: { me: Me }): JSX.Element {
  const introduction = `Addresses that receive the events of ${me.account.name}: scans, the quota, keys that expire.`;
  if (me.scans !== null) return <Manage introduction={introduction} />;
  return (
    <>
      <PageHead title="Webhooks" introduction={introduction} />
      <section class="card">
        <p>
          Scans and webhooks need PostgreSQL, and this service runs on SQLite. Checks work without it. An
          operator can enable scans with <code>TELLTALE_DATABASE_URL=postgres://…</code>
        </p>
      </section>
    </>
  );
}

function Manage({ introduction }: { introduction: string }) {
  const { data, error, reload } = useLoaded<Webhooks>('/webhooks');
  const [isCreating, setCreating] = useState(false);
  const [newWebhook, setNewWebhook] = useState<NewWebhook | null>(null);
  return (
    <>
      <PageHead title="Webhooks" introduction={introduction}>
        <button
          type="button"
          class="primary"
          disabled={data === null || data.webhooks.length >= data.most}
          onClick={() => setCreating(true)}
        >
          Add a webhook
        </button>
      </PageHead>
      <Fault fault={error} />
      {data?.webhooks.map((webhook) => (
        <WebhookCard
          key={webhook.id}
          webhook={webhook}
          types={data.event_types}
          onChange={reload}
          onSecret={setNewWebhook}
        />
      ))}
      {data?.webhooks.length === 0 && (
        <section class="card">
          <p class="quiet">No webhooks yet.</p>
        </section>
      )}
      {data && isCreating && (
        <CreateDialog
          types={data.event_types}
          onClose={() => setCreating(false)}
          onCreated={(webhook) => {
            setCreating(false);
            setNewWebhook(webhook);
            reload();
          }}
        />
      )}
      {newWebhook && (
        <Once
          title="Secret of the webhook"
          secret={newWebhook.secret}
          hint="With it, your server verifies that an event comes from the service."
          onClose={() => setNewWebhook(null)}
        />
      )}
    </>
  );
}

function CreateDialog(props: {
  types: readonly EventType[];
  onClose: () => void;
  onCreated: (webhook: NewWebhook) => void;
}) {
  const { types, onClose, onCreated } = props;
  const send = (fields: FormData): Promise<void> =>
    call<NewWebhook>('POST', '/webhooks', {
      url: textOf(fields, 'url').trim(),
      events: fields.getAll('event'),
    }).then(onCreated);
  return (
    <FormDialog title="Add a webhook" submitLabel="Add" send={send} onClose={onClose}>
      <label class="field">
        Address <span class="quiet">https, on a public host</span>
        <input name="url" type="url" required maxLength={2048} placeholder="https://" />
      </label>
      <EventChoices types={types} chosen={types} />
    </FormDialog>
  );
}
