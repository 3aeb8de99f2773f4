// A dialog in which the operator sets which objects of the bucket an account's scans may read.
import type { JSX } from 'preact';
import type { ShownAccount } from '../../../src/service/console/shapes.js';
import { call } from '../api.js';
import { FormDialog } from '../components/form-dialog.js';
import { textOf } from '../fields.js';

/** Draws the dialog. It asks for the beginning of the object names and saves it. */
export function PrefixDialog(props: {
  account: ShownAccount;
  onClose: () => void;
  onSaved: () => void;
}): JSX.Element {
  const { account, onClose, onSaved } = props;
  const send = (fields: FormData): Promise<void> =>
    call('PUT', `/operator/accounts/${account.id}/prefix`, { prefix: textOf(fields, 'prefix').trim() })
      .then(onSaved)
      .then(onClose);
  return (
    <FormDialog title={`Bucket of ${account.name}`} submitLabel="Save" send={send} onClose={onClose}>
      <label class="field">
        Prefix
        <input name="prefix" maxLength={500} placeholder="acme/" defaultValue={account.scan_prefix ?? ''} />
      </label>
      <p class="quiet small">
        Scans of this account may read objects with this prefix in the bucket of TELLTALE_STORE_URL. / allows
        the whole bucket, an empty prefix nothing. Running scans continue.
      </p>
    </FormDialog>
  );
}
