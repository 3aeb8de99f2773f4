// A dialog over the page. The browser's `dialog` element keeps the focus inside and closes on Escape.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** Draws `children` until the dialog is closed. */
export function Dialog(props: {
  title: string;
  /** True if the focus starts at the title, for dialogs that are read first or use shortcut keys. */
  isRead?: boolean;
  /** True if the dialog fills the window, for an image. */
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
      {/* The first focusable element gets the focus. */}
      <h2 ref={heading} id={titleId} {...(isRead && { tabIndex: -1 })}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** Draws the foot of a dialog: the buttons in `children`, then the close button. */
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
