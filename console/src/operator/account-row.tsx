// A row of the operator's table of accounts.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownAccount } from '../../../src/service/console/shapes.js';
import { formatCount, formatDay } from '../format.js';
import { SeenDialog } from './seen-dialog.js';

/** Draws an account with buttons to change its plan and bucket access and to invite a person. */
export function AccountRow({
  account,
  plans,
  onPlan,
  onBucket,
  onSwitched,
  onInvite,
  onErase,
}: {
  account: ShownAccount;
  plans: readonly string[];
  onPlan: (plan: string) => void;
  onBucket: () => void;
  /** Called after storing hashes of images was switched on or off for the account. */
  onSwitched: () => void;
  onInvite: () => void;
  onErase: () => void;
}): JSX.Element {
  const [isSwitching, setSwitching] = useState(false);
  return (
    <tr>
      <td>
        {account.name}
        <br />
        <code class="quiet small">{account.id}</code>
      </td>
      <td>
        <PlanSelect account={account} plans={plans} onPlan={onPlan} />
      </td>
      <td>
        <button type="button" class="link" onClick={onBucket}>
          <span class="sr">Bucket of {account.name}: </span>
          {account.scan_prefix ?? 'none'}
        </button>
      </td>
      <td>
        <button type="button" class="link" onClick={() => setSwitching(true)}>
          <span class="sr">Hashes of {account.name}: </span>
          {account.keeps_hashes ? 'kept' : 'none'}
        </button>
        {isSwitching && (
          <SeenDialog account={account} onClose={() => setSwitching(false)} onSaved={onSwitched} />
        )}
      </td>
      <td class="number">{formatCount(account.used)}</td>
      <td class="number">{account.members}</td>
      <td class="number">{account.keys}</td>
      <td class="nowrap">{formatDay(account.created_at)}</td>
      <td class="end">
        <button type="button" class="plain" onClick={onInvite}>
          Invite<span class="sr"> to {account.name}</span>
        </button>{' '}
        <button type="button" class="plain" onClick={onErase}>
          Erase<span class="sr"> {account.name}</span>
        </button>
      </td>
    </tr>
  );
}

/** Draws a choice of plans. The current plan is included even if it is no longer offered. */
function PlanSelect({
  account,
  plans,
  onPlan,
}: {
  account: ShownAccount;
  plans: readonly string[];
  onPlan: (plan: string) => void;
}): JSX.Element {
  return (
    <select
      aria-label={`Plan of ${account.name}`}
      value={account.plan ?? ''}
      onChange={(event) => {
        const plan = event.currentTarget.value;
        // Keeps showing the current plan until the new one has been confirmed.
        event.currentTarget.value = account.plan ?? '';
        onPlan(plan);
      }}
    >
      {account.plan === null && <option value="">none</option>}
      {account.plan !== null && !plans.includes(account.plan) && (
        <option value={account.plan}>{account.plan} (not offered)</option>
      )}
      {plans.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
