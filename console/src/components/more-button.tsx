// The way to the next page of a list.
import type { JSX } from 'preact';

/** Nothing at the end of the list. */
export function MoreButton({ more }: { more: (() => void) | null }): JSX.Element | null {
  if (more === null) return null;
  return (
    <button type="button" class="more" onClick={more}>
      More
    </button>
  );
}
