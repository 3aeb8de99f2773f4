// The page that asks which account to use, after a person with several accounts or invitations has signed in with
// OpenID.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Choice } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { AccountList } from '../components/account-list.js';
import { Fault } from '../components/fault.js';
import { Mark } from '../frame.js';
import { useLoaded } from '../load.js';
import { follow } from '../location.js';

export function Choose({ onEnter }: { onEnter: () => Promise<void> }): JSX.Element {
  const { data, error } = useLoaded<Choice>('/choice');
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const enter = (id: string): void => {
    setBusy(true);
    call('POST', '/choice', { account_id: id })
      .then(onEnter)
      .catch((problem: unknown) => setFault(messageOf(problem)))
      .finally(() => setBusy(false));
  };
  return (
    <main class="door">
      <h1>
        <Mark /> Telltale
      </h1>
      <div class="card" aria-busy={!data && !error}>
        <h2>Choose an account</h2>
        {data && (
          <>
            <p>
              You are <strong>{data.email}</strong>. All members of an account see what you check there.
            </p>
            <AccountList accounts={data.accounts} isBusy={isBusy} onChoose={enter} />
          </>
        )}
        <Fault fault={error} />
        <Fault fault={fault} />
        <a href="/sign-in" onClick={follow}>
          Sign in anew
        </a>
      </div>
    </main>
  );
}
