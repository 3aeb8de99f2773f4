// Shortcut keys of a page. They are ignored while a person is typing.
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Actions by key. The key is a value of `KeyboardEvent.key`, pressed without Ctrl, Alt or Meta. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Handles the shortcut keys while the component is shown. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  // A layout effect, so that a key pressed right after the page appears is not lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || isWriting(event.target)) return;
      const act = current.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Returns whether a key press is input for this element: a text field, a selection list or a dialog with a form. */
function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof Element && target.closest('dialog > form') !== null) ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'file'].includes(target.type))
  );
}
