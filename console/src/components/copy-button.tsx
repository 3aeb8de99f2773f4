// Copies a text, and says so.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** How long it says that it was copied. */
const SAID_MS = 2000;

/** A button that copies `text`. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }): JSX.Element {
  const [state, setState] = useState('');
  const copy = (): void => {
    writeText(text).then(
      () => setState('Copied'),
      () => setState('Select it and copy'),
    );
    window.setTimeout(() => setState(''), SAID_MS);
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-live="polite">
      {state || label}
    </button>
  );
}

/** Copies a text. The clipboard's own interface is there on https and on this machine alone: rejects elsewhere. */
export async function writeText(text: string): Promise<void> {
  if (!window.isSecureContext) throw new Error('no clipboard on a page without TLS');
  await navigator.clipboard.writeText(text);
}
