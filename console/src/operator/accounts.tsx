// Accounts: their plans, buckets and use, new ones, and invitations to them.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Accounts, Me, ShownAccount } from '../../../src/service/console/shapes.js';
import { call, explain } from '../api.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { InviteDialog } from '../components/invite-dialog.js';
import { textOf } from '../fields.js';
import { formatCount, formatDay } from '../format.js';
import { MoreButton } from '../components/more-button.js';
import { usePages } from '../pages-of.js';
import { PrefixDialog } from './prefix-dialog.js';

/** A form for a new account, and the table of all. */
export function AccountsPanel({ me }: { me: Me }): JSX.Element {
  const { pages, error, fault: moreFault, reload, more } = usePages<Accounts>('/operator/accounts', 'after');
  const [invited, setInvited] = useState<ShownAccount | null>(null);
  const [prefixed, setPrefixed] = useState<ShownAccount | null>(null);
  const [fault, setFault] = useState('');
  const act = (work: Promise<unknown>): void => {
    setFault('');
    work.then(reload).catch((problem: unknown) => setFault(explain(problem)));
  };
  const create = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const body = { name: textOf(fields, 'name').trim(), plan: fields.get('plan') };
    act(call('POST', '/operator/accounts', body).then(() => form.reset()));
  };
  const [first] = pages;
  if (!first) return <Fault fault={error} />;
  const names = first.plans.map(({ name }) => name);
  return (
    <section class="card flush">
      <form class="filters inside" onSubmit={create}>
        <input
          name="name"
          required
          maxLength={100}
          placeholder="name of a new account"
          aria-label="Name of a new account"
        />
        <select name="plan" aria-label="Plan of the new account">
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button type="submit">Create the account</button>
      </form>
      <Fault fault={error} />
      <Fault fault={fault} />
      <Fault fault={moreFault} />
      <DataTable
        name="Accounts"
        heads={[
          'Account',
          'Plan',
          'Bucket',
          { number: 'Checks this month' },
          { number: 'Members' },
          { number: 'Keys' },
          'Since',
        ]}
        hasActions
      >
        {pages
          .flatMap(({ accounts }) => accounts)
          .map((account) => (
            <tr key={account.id}>
              <td>
                {account.name}
                <br />
                <code class="quiet small">{account.id}</code>
              </td>
              <td>
                <select
                  aria-label={`Plan of ${account.name}`}
                  value={account.plan ?? ''}
                  onChange={(event) =>
                    act(
                      call('PUT', `/operator/accounts/${account.id}/plan`, {
                        plan: event.currentTarget.value,
                      }),
                    )
                  }
                >
                  {account.plan === null && <option value="">none</option>}
                  {account.plan !== null && !names.includes(account.plan) && (
                    <option value={account.plan}>{account.plan} (not offered)</option>
                  )}
                  {names.map((name) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              </td>
              <td>
                <button type="button" class="link" onClick={() => setPrefixed(account)}>
                  <span class="sr">Bucket of {account.name}: </span>
                  {account.scan_prefix ?? 'none'}
                </button>
              </td>
              <td class="number">{formatCount(account.used)}</td>
              <td class="number">{account.members}</td>
              <td class="number">{account.keys}</td>
              <td class="nowrap">{formatDay(account.created_at)}</td>
              <td class="end">
                <button type="button" class="plain" onClick={() => setInvited(account)}>
                  Invite<span class="sr"> to {account.name}</span>
                </button>
              </td>
            </tr>
          ))}
      </DataTable>
      <MoreButton more={more} />
      {prefixed && (
        <PrefixDialog
          account={prefixed}
          onClose={() => setPrefixed(null)}
          onSaved={() => {
            setPrefixed(null);
            reload();
          }}
        />
      )}
      {invited && (
        <InviteDialog
          account={invited}
          by={me.member.role}
          onClose={() => setInvited(null)}
          onMade={reload}
        />
      )}
    </section>
  );
}
