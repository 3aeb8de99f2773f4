// Asks before something that can't be undone.
import type { JSX } from 'preact';
import { FormDialog } from './form-dialog.js';

/** `act` is run when the answer is yes; the dialog closes when it is done. */
export function Confirm(props: {
  title: string;
  text: string;
  yes: string;
  act: () => Promise<unknown>;
  onClose: () => void;
}): JSX.Element {
  const { title, text, yes, act, onClose } = props;
  return (
    <FormDialog title={title} yes={yes} look="danger" send={() => act().then(onClose)} onClose={onClose}>
      <p>{text}</p>
    </FormDialog>
  );
}
