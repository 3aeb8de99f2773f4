// A dialog that invites a person to an account. It shows the invitation link once.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { NewInvitation } from '../../../src/service/console/shapes.js';
import { call } from '../api.js';
import { hasRole, ROLES, type Role } from '../roles.js';
import { FormDialog } from './form-dialog.js';
import { Once } from './once.js';

const ROLE_HINTS: Readonly<Record<Role, string>> = {
  member: 'checks images, sees checks and usage',
  owner: 'also keys and members',
  operator: 'also all accounts and the service',
};

/** Draws the dialog. `by` is the role of the person who invites and limits the roles to choose from. */
export function InviteDialog(props: {
  account: { readonly id: string; readonly name: string };
  by: Role;
  onClose: () => void;
  onMade: () => void;
}): JSX.Element {
  const { account, by, onClose, onMade } = props;
  const [madeInvitation, setMadeInvitation] = useState<NewInvitation | null>(null);
  const send = async (fields: FormData): Promise<void> => {
    const invitation = await call<NewInvitation>('POST', '/invitations', {
      email: fields.get('email'),
      role: fields.get('role'),
      account_id: account.id,
    });
    setMadeInvitation(invitation);
    onMade();
  };
  if (madeInvitation)
    return (
      <Once
        title={`Link for ${madeInvitation.email}`}
        secret={madeInvitation.url}
        hint="No mail is sent. Give the link to the person yourself. It works once, within 7 days."
        onClose={onClose}
      />
    );
  return (
    <FormDialog title={`Invite to ${account.name}`} submitLabel="Make the link" send={send} onClose={onClose}>
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
      <p class="quiet small">
        For a member, the link sets a new password or switches to your organisation’s sign-in.
      </p>
    </FormDialog>
  );
}
