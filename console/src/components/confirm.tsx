// A dialog that asks for confirmation before an irreversible action.
import type { JSX } from 'preact';
import { FormDialog } from './form-dialog.js';

/** Draws the dialog. Runs `act` when the person confirms, and closes when `act` is done. */
export function Confirm(props: {
  title: string;
  text: string;
  confirmLabel: string;
  act: () => Promise<unknown>;
  onClose: () => void;
}): JSX.Element {
  const { title, text, confirmLabel, act, onClose } = props;
  return (
    <FormDialog
      title={title}
      submitLabel={confirmLabel}
      buttonStyle="danger"
      send={() => act().then(onClose)}
      onClose={onClose}
    >
      <p>{text}</p>
    </FormDialog>
  );
}
