// A dialog that lists the shortcut keys of a page.
import type { JSX } from 'preact';
import { Dialog, DialogFoot } from './dialog.js';

/** Draws the list. `keys` maps each shortcut key to its action. */
export function KeysHelp({
  keys,
  onClose,
}: {
  keys: Readonly<Record<string, string>>;
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" isRead onClose={onClose}>
      <dl class="facts keys">
        {Object.entries(keys).map(([key, meaning]) => [
          <dt key={key}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={`${key} does`}>{meaning}</dd>,
        ])}
      </dl>
      <DialogFoot close="Close" onClose={onClose} />
    </Dialog>
  );
}
