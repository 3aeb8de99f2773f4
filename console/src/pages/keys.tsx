// The page API keys, which lists the account's keys.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { KeyPage, Me, NewKey, RolledKey, ShownKey } from '../../../src/service/console/shapes.js';
import type { SCOPES } from '../../../src/accounts/keys.js';
import { call } from '../api.js';
import { Fault } from '../components/fault.js';
import { FormDialog } from '../components/form-dialog.js';
import { KeyTable } from '../components/key-table.js';
import { MoreButton } from '../components/more-button.js';
import { Once } from '../components/once.js';
import { PageHead } from '../components/page-head.js';
import { textOf } from '../fields.js';
import { usePages } from '../pages-of.js';

type Scope = (typeof SCOPES)[number];

const SCOPE_HINTS: Readonly<Record<Scope, string>> = {
  check: 'check images',
  usage: 'read the usage',
  scan: 'scan long lists',
};

export function KeysPage({ me }: { me: Me }): JSX.Element {
  const { pages, error, fault, reload, loadMore } = usePages<KeyPage>('/keys', 'before');
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewKey | null>(null);
  const [rolled, setRolled] = useState<ShownKey | null>(null);
  const show = (key: NewKey): void => {
    setCreating(false);
    setRolled(null);
    setCreated(key);
    reload();
  };
  return (
    <>
      <PageHead
        title="API keys"
        introduction="Programs call /v1 with these. They have the account's plan and share its quota."
      >
        <button
          type="button"
          class="primary"
          disabled={me.account.plan === null}
          onClick={() => setCreating(true)}
        >
          Create a key
        </button>
      </PageHead>
      {me.account.plan === null && (
        <p class="fault">This account has no plan yet. Ask the operator for a plan.</p>
      )}
      <Fault fault={error} />
      <Fault fault={fault} />
      {pages.length > 0 && (
        <section class="card flush">
          <KeyTable
            keys={pages.flatMap(({ keys }) => keys)}
            showsAccount={false}
            onRoll={setRolled}
            revoke={(key) => call('DELETE', `/keys/${key.id}`).then(reload)}
          />
          <MoreButton loadMore={loadMore} />
        </section>
      )}
      {isCreating && (
        <CreateDialog plan={me.account.plan ?? ''} onClose={() => setCreating(false)} onCreated={show} />
      )}
      {rolled && <RollDialog rolled={rolled} onClose={() => setRolled(null)} onCreated={show} />}
      {created && (
        <Once
          title={`Key ${created.name}`}
          secret={created.key}
          hint="The service stores only a hash of it."
          onClose={() => setCreated(null)}
        />
      )}
    </>
  );
}

const OVERLAPS = { 0: 'not at all', '1h': '1 hour', '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

function RollDialog(props: {
  rolled: ShownKey;
  onClose: () => void;
  onCreated: (key: RolledKey) => void;
}): JSX.Element {
  const { rolled, onClose, onCreated } = props;
  const send = (fields: FormData): Promise<void> =>
    call<RolledKey>('POST', `/keys/${rolled.id}/roll`, { overlap: textOf(fields, 'overlap') }).then(
      onCreated,
    );
  return (
    <FormDialog title={`Roll ${rolled.name}`} submitLabel="Roll" send={send} onClose={onClose}>
      <p>
        Creates a key with the same properties. Use it where <code>{rolled.id}</code> is used, until that key
        expires.
      </p>
      <label class="field">
        The old key works on for
        <select name="overlap">
          {Object.entries(OVERLAPS).map(([overlap, text]) => (
            <option key={overlap} value={overlap} selected={overlap === '24h'}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}

function CreateDialog(props: { plan: string; onClose: () => void; onCreated: (key: NewKey) => void }) {
  const { plan, onClose, onCreated } = props;
  const [isSandbox, setSandbox] = useState(false);
  const send = (fields: FormData): Promise<void> => {
    const expires = textOf(fields, 'expires');
    return call<NewKey>('POST', '/keys', {
      name: textOf(fields, 'name').trim(),
      scopes: fields.getAll('scope'),
      sandbox: isSandbox,
      expires: expires === '' ? null : expires,
    }).then(onCreated);
  };
  return (
    <FormDialog title="Create a key" submitLabel="Create" send={send} onClose={onClose}>
      <label class="field">
        Name
        <input name="name" required maxLength={100} placeholder="where it is used" />
      </label>
      <label>
        <input
          type="checkbox"
          name="sandbox"
          checked={isSandbox}
          onChange={({ currentTarget }) => setSandbox(currentTarget.checked)}
        />{' '}
        Sandbox: fixed answers for tests, never charged <code class="quiet">tt_test_</code>
      </label>
      <fieldset class="choices" disabled={isSandbox}>
        <legend>It may</legend>
        {(Object.keys(SCOPE_HINTS) as Scope[]).map((scope) => (
          <label key={scope}>
            <input type="checkbox" name="scope" value={scope} defaultChecked /> {SCOPE_HINTS[scope]}{' '}
            <code class="quiet">{scope}</code>
          </label>
        ))}
      </fieldset>
      <label class="field">
        Last day (UTC) <span class="quiet">empty: it does not expire</span>
        <input name="expires" type="date" min={new Date().toISOString().slice(0, 10)} />
      </label>
      <p class="quiet small">It has the account's plan, which is {plan} today.</p>
    </FormDialog>
  );
}
