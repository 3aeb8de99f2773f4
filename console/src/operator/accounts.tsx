// The operator's tab Accounts: plans, bucket access, usage, new accounts and invitations.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Accounts, Me, ShownAccount } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { InviteDialog } from '../components/invite-dialog.js';
import { MoreButton } from '../components/more-button.js';
import { usePages } from '../pages-of.js';
import { AccountRow } from './account-row.js';
import { EraseDialog } from './erase-dialog.js';
import { NewAccountForm } from './new-account-form.js';
import { PlanApplied, PlanDialog, type PlanChange } from './plan-dialog.js';
import { PrefixDialog } from './prefix-dialog.js';

/** Draws a form for a new account and the table of all accounts. */
export function AccountsPanel({ me }: { me: Me }): JSX.Element {
  const loaded = usePages<Accounts>('/operator/accounts', 'after');
  const { pages, error, reload } = loaded;
  const { role } = me.member;
  const [invited, setInvited] = useState<ShownAccount | null>(null);
  const [prefixed, setPrefixed] = useState<ShownAccount | null>(null);
  const [erased, setErased] = useState<ShownAccount | null>(null);
  const [planChange, setPlanChange] = useState<PlanChange | null>(null);
  const [applied, setApplied] = useState<PlanChange | null>(null);
  const [fault, setFault] = useState('');
  const act = (work: Promise<unknown>): Promise<unknown> => {
    setFault('');
    work.then(reload).catch((problem: unknown) => setFault(messageOf(problem)));
    return work;
  };
  const [first] = pages;
  if (!first) return <Fault fault={error} />;
  const names = first.plans.map(({ name }) => name);
  return (
    <section class="card flush">
      <NewAccountForm plans={names} onCreate={(body) => act(call('POST', '/operator/accounts', body))} />
      <Fault fault={error ?? (fault || loaded.fault)} />
      {applied && (
        <PlanApplied
          change={applied}
          undo={(plan) => {
            void act(putPlan(applied.account, plan));
            setApplied(null);
          }}
        />
      )}
      <AccountsTable
        accounts={pages.flatMap(({ accounts }) => accounts)}
        plans={names}
        onPlan={(account, plan) => setPlanChange({ account, plan })}
        onBucket={setPrefixed}
        onSwitched={reload}
        onInvite={setInvited}
        onErase={setErased}
      />
      <MoreButton loadMore={loaded.loadMore} />
      {planChange && (
        <PlanDialog
          change={planChange}
          apply={() => putPlan(planChange.account, planChange.plan).then(reload)}
          onClose={() => setPlanChange(null)}
          onApplied={() => setApplied(planChange)}
        />
      )}
      {prefixed && <PrefixDialog account={prefixed} onClose={() => setPrefixed(null)} onSaved={reload} />}
      {erased && <EraseDialog account={erased} onClose={() => setErased(null)} onErased={reload} />}
      {invited && (
        <InviteDialog account={invited} by={role} onClose={() => setInvited(null)} onMade={reload} />
      )}
    </section>
  );
}

function putPlan({ id }: ShownAccount, plan: string | null): Promise<unknown> {
  return call('PUT', `/operator/accounts/${id}/plan`, { plan });
}

function AccountsTable(props: {
  accounts: readonly ShownAccount[];
  plans: readonly string[];
  onPlan: (account: ShownAccount, plan: string) => void;
  onBucket: (account: ShownAccount) => void;
  onSwitched: () => void;
  onInvite: (account: ShownAccount) => void;
  onErase: (account: ShownAccount) => void;
}): JSX.Element {
  const { accounts, plans, onPlan, onBucket, onSwitched, onInvite, onErase } = props;
  return (
    <DataTable
      name="Accounts"
      heads={[
        'Account',
        'Plan',
        'Bucket',
        'Hashes',
        { number: 'Checks this month' },
        { number: 'Members' },
        { number: 'Keys' },
        'Since',
      ]}
      hasActions
    >
      {accounts.map((account) => (
        <AccountRow
          key={account.id}
          account={account}
          plans={plans}
          onPlan={(plan) => onPlan(account, plan)}
          onBucket={() => onBucket(account)}
          onSwitched={onSwitched}
          onInvite={() => onInvite(account)}
          onErase={() => onErase(account)}
        />
      ))}
    </DataTable>
  );
}
