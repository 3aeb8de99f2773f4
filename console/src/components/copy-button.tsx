// A button that copies text.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Time in milliseconds for which the button says that the text was copied. */
const CONFIRMATION_MS = 2000;

/** Draws a button that copies `text`. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }): JSX.Element {
  const [state, setState] = useState('');
  const copy = (): void => {
    writeText(text).then(
      () => setState('Copied'),
      () => setState('Select it and copy'),
    );
    window.setTimeout(() => setState(''), CONFIRMATION_MS);
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-live="polite">
      {state || label}
    </button>
  );
}

/** Copies text. Rejects on pages without TLS (except on localhost), because browsers offer no clipboard there. */
export async function writeText(text: string): Promise<void> {
  if (!window.isSecureContext) throw new Error('no clipboard on a page without TLS');
  await navigator.clipboard.writeText(text);
}
