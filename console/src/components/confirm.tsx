// Asks before something that can't be undone.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { explain } from '../api.js';
import { Dialog } from './dialog.js';

/** `act` is run when the answer is yes; the dialog closes when it is done. */
export function Confirm(props: {
  title: string;
  text: string;
  yes: string;
  act: () => Promise<unknown>;
  onClose: () => void;
}): JSX.Element {
  const { title, text, yes, act, onClose } = props;
  const [fault, setFault] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p class="fault" role="alert">
        {fault}
      </p>
      <div class="actions">
        <button type="button" class="plain" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => void act().then(onClose, (error: unknown) => setFault(explain(error)))}
        >
          {yes}
        </button>
      </div>
    </Dialog>
  );
}
