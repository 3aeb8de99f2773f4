// A dialog that switches storing hashes of an account's images on or off.
import type { JSX } from 'preact';
import type { ShownAccount } from '../../../src/service/console/shapes.js';
import { call } from '../api.js';
import { FormDialog } from '../components/form-dialog.js';

/** Draws the dialog, which asks for confirmation. */
export function SeenDialog(props: {
  account: ShownAccount;
  onClose: () => void;
  onSaved: () => void;
}): JSX.Element {
  const { account, onClose, onSaved } = props;
  const isOn = account.keeps_hashes;
  return (
    <FormDialog
      title={`Hashes of ${account.name}`}
      submitLabel={isOn ? 'Stop, and delete them' : 'Keep hashes'}
      buttonStyle={isOn ? 'danger' : 'primary'}
      send={() =>
        call('PUT', `/operator/accounts/${account.id}/seen`, { on: !isOn }).then(onSaved).then(onClose)
      }
      onClose={onClose}
    >
      <p>
        {isOn
          ? 'Hashes of this account’s images are no longer stored. The stored hashes are permanently deleted.'
          : 'A hash of each image is stored with its check until the check is deleted. Later checks of this account recognise the same image and name known images.'}
      </p>
    </FormDialog>
  );
}
