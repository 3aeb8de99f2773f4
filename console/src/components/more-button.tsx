// A button that loads the next page of a list.
import type { JSX } from 'preact';

/** Draws the button, or nothing if the whole list is loaded. */
export function MoreButton({ loadMore }: { loadMore: (() => void) | null }): JSX.Element | null {
  if (loadMore === null) return null;
  return (
    <button type="button" class="more" onClick={loadMore}>
      More
    </button>
  );
}
