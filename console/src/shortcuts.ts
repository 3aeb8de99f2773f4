// Shortcut keys of a page, inactive while a person is typing.
import { useEffect, useRef } from 'preact/hooks';

/** Action of each key, by `KeyboardEvent.key`, without Ctrl, Alt or Meta. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Handles the keys while the component is mounted. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
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

/** Returns whether letters are input for this element: a text field or a selection list. */
function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'file'].includes(target.type))
  );
}
