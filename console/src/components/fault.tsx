// What went wrong, in words.
import type { JSX } from 'preact';
import type { ApiError } from '../api.js';

/** Read aloud when it changes; nothing is to be seen of it where nothing went wrong. */
export function Fault({ fault }: { fault: ApiError | string | null }): JSX.Element {
  return (
    <p class="fault" role="alert">
      {typeof fault === 'string' ? fault : fault?.message}
    </p>
  );
}
