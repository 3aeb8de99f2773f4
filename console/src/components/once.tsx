// A secret that is shown only once: an API key or an invitation link.
import type { JSX } from 'preact';
import { CopyButton } from './copy-button.js';
import { Dialog, DialogFoot } from './dialog.js';

/** Draws `secret` with a copy button, and a note that it is not shown again. */
export function Once(props: {
  title: string;
  secret: string;
  hint: string;
  onClose: () => void;
}): JSX.Element {
  const { title, secret, hint, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        <strong>Copy it now. It is not shown again.</strong> {hint}
      </p>
      <p class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} />
      </p>
      <DialogFoot close="Done" onClose={onClose} />
    </Dialog>
  );
}
