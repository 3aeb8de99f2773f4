// A button that loads the next page of a list.
import type { JSX } from 'preact';

/** Draws the button, or nothing if the whole list is loaded. */
export function MoreButton({ more }: { more: (() => void) | null }): JSX.Element | null {
  if (more === null) return null;
  return (
    <button type="button" class="more" onClick={more}>
      More
    </button>
  );
}
