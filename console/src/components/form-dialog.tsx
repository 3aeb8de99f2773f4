// A dialog that asks for something and sends it; what goes wrong stands above its buttons.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { explain } from '../api.js';
import { Dialog } from './dialog.js';
import { Fault } from './fault.js';

/** `send` gets the form's fields; where it rejects, the dialog stays open and says why. */
export function FormDialog(props: {
  title: string;
  yes: string;
  /** Of the button that sends; `danger` for what can't be undone. */
  look?: 'primary' | 'danger';
  send: (fields: FormData) => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { title, yes, look = 'primary', send, onClose, children } = props;
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setBusy(true);
    send(new FormData(event.currentTarget as HTMLFormElement))
      .catch((error: unknown) => setFault(explain(error)))
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
          <button type="submit" class={look} disabled={isBusy}>
            {yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
