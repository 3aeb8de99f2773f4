// A dialog with a form. Errors appear above its buttons.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api.js';
import { Dialog } from './dialog.js';
import { Fault } from './fault.js';

/** Draws the dialog. Calls `send` with the form's fields; if it rejects, shows the error and stays open. */
export function FormDialog(props: {
  title: string;
  submitLabel: string;
  /** Style of the submit button: `danger` for irreversible actions. */
  buttonStyle?: 'primary' | 'danger';
  send: (fields: FormData) => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { title, submitLabel, buttonStyle = 'primary', send, onClose, children } = props;
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setBusy(true);
    send(new FormData(event.currentTarget as HTMLFormElement))
      .catch((error: unknown) => setFault(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <Fault fault={fault} />
        <div class="actions">
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={buttonStyle} disabled={isBusy}>
            {submitLabel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
