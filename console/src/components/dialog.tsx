// A dialog over the page: the browser's own, which keeps the focus inside and closes on Escape.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** Shows `children` until it is closed. */
export function Dialog(props: {
  title: string;
  /** The focus begins at the title and not in the first field: for what is read first, and keys that act. */
  isRead?: boolean;
  /** It takes the whole window: for an image. */
  isFull?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { title, isRead = false, isFull = false, onClose, children } = props;
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    if (isRead) heading.current?.focus();
  }, []);
  return (
    <dialog ref={dialog} class={isFull ? 'full' : ''} onClose={onClose} aria-labelledby={titleId}>
      {/* Whatever can have the focus and comes first gets it. */}
      <h2 ref={heading} id={titleId} {...(isRead && { tabIndex: -1 })}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** The foot of a dialog that shows something: `children` are further buttons, before the one that closes it. */
export function DialogFoot(props: {
  close: string;
  onClose: () => void;
  children?: ComponentChildren;
}): JSX.Element {
  const { close, onClose, children } = props;
  return (
    <div class="actions">
      {children}
      <button type="button" class="primary" onClick={onClose}>
        {close}
      </button>
    </div>
  );
}
