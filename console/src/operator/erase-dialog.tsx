// A dialog that lists what is deleted with an account, and asks for the account's name to confirm.
import type { JSX } from 'preact';
import type { AccountContents } from '../../../src/accounts/erase.js';
import type { ShownAccount } from '../../../src/service/console/shapes.js';
import { call } from '../api.js';
import { FormDialog } from '../components/form-dialog.js';
import { formatCount } from '../format.js';
import { useLoaded } from '../load.js';

/** Draws the dialog. Loads the numbers when it opens. */
export function EraseDialog(props: {
  account: ShownAccount;
  onClose: () => void;
  onErased: () => void;
}): JSX.Element {
  const { account, onClose, onErased } = props;
  const path = `/operator/accounts/${account.id}`;
  const { data } = useLoaded<AccountContents>(`${path}/contents`);
  return (
    <FormDialog
      title={`Erase ${account.name}?`}
      submitLabel="Erase for good"
      buttonStyle="danger"
      send={(fields) => {
        if (fields.get('name') !== account.name)
          return Promise.reject(new Error('This is not the name of the account.'));
        return call('DELETE', path).then(onErased).then(onClose);
      }}
      onClose={onClose}
    >
      <p>
        This permanently deletes all data of this account, its usage of{' '}
        {data ? formatCount(data.charged) : '…'} charged checks included
        {data &&
          `: ${formatCount(data.checks)} checks of the history, ${formatCount(data.images)} kept images, ${formatCount(data.scans)} scans, ${data.keys} keys, ${data.members} members, ${data.webhooks} webhooks`}
        . ‘telltale accounts export’ saves it before.
      </p>
      <label>
        Name of the account
        <input name="name" autocomplete="off" required />
      </label>
    </FormDialog>
  );
}
