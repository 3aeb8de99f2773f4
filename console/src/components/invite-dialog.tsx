// Invites somebody: the link is shown once, to whoever made it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { NewInvitation } from '../../../src/console/shapes.js';
import { call, explain } from '../api.js';
import { hasRole, ROLES, type Role } from '../roles.js';
import { Dialog } from './dialog.js';
import { Once } from './once.js';

const ROLE_HINTS: Readonly<Record<Role, string>> = {
  member: 'tries pictures, sees checks and usage',
  owner: 'also keys and members',
  operator: 'also all accounts and the service',
};

/** To the account named, by somebody with the role `by`. */
export function InviteDialog(props: {
  account: { readonly id: string; readonly name: string };
  by: Role;
  onClose: () => void;
  onMade: () => void;
}): JSX.Element {
  const { account, by, onClose, onMade } = props;
  const [fault, setFault] = useState('');
  const [made, setMade] = useState<NewInvitation | null>(null);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    call<NewInvitation>('POST', '/invitations', {
      email: fields.get('email'),
      role: fields.get('role'),
      account_id: account.id,
    })
      .then((invitation) => {
        setMade(invitation);
        onMade();
      })
      .catch((error: unknown) => setFault(explain(error)));
  };
  if (made)
    return (
      <Once
        title={`Link for ${made.email}`}
        secret={made.url}
        hint="No mail is sent: hand it over yourself. It works once, for 7 days."
        onClose={onClose}
      />
    );
  return (
    <Dialog title={`Invite to ${account.name}`} onClose={onClose}>
      <form onSubmit={submit}>
        <label class="field">
          Email
          <input name="email" type="email" required />
        </label>
        <fieldset class="choices">
          <legend>Role</legend>
          {ROLES.filter((role) => hasRole(by, role)).map((role) => (
            <label key={role}>
              <input type="radio" name="role" value={role} defaultChecked={role === 'member'} /> {role}{' '}
              <span class="quiet">{ROLE_HINTS[role]}</span>
            </label>
          ))}
        </fieldset>
        <p class="quiet small">For somebody who is a member already, this is the way to a new password.</p>
        <p class="fault" role="alert">
          {fault}
        </p>
        <div class="actions">
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Make the link
          </button>
        </div>
      </form>
    </Dialog>
  );
}
