// A dialog over the page. Uses the browser's `dialog` element, which keeps the focus inside and closes on Escape.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** Draws a dialog with `children` until it is closed. */
export function Dialog(props: {
  title: string;
  /** True if the title gets the focus: for dialogs that are read first or have shortcut keys. */
  isRead?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { title, isRead = false, onClose, children } = props;
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    if (isRead) heading.current?.focus();
    // The browser restores the focus only if it closed the dialog itself, as on Escape.
    const restore = (): void => {
      if (document.activeElement === document.body) opener?.focus({ preventScroll: true });
    };
    // Waits for the removal of the dialog, because the rest of the page can't have the focus before.
    return () => queueMicrotask(restore);
  }, []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby={titleId}>
      {/* The browser gives the focus to the first element that can have it: the title, if `isRead`. */}
      <h2 ref={heading} id={titleId} {...(isRead && { tabIndex: -1 })}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** Draws the buttons at the end of a dialog: `children`, then the close button. */
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
