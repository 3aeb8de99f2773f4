// Asks before something that can't be undone.
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.js';

/** `act` is run when the answer is yes; the dialog closes when it is done. */
export function Confirm(props: {
  title: string;
  text: string;
  yes: string;
  act: () => Promise<unknown>;
  onClose: () => void;
}) {
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
          onClick={() => void act().then(onClose, (error: Error) => setFault(error.message))}
        >
          {yes}
        </button>
      </div>
    </Dialog>
  );
}
