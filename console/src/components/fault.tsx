// An error message.
import type { JSX } from 'preact';
import type { ApiError } from '../api.js';

/** Draws the message, which screen readers announce. Draws nothing without an error. */
export function Fault({ fault }: { fault: ApiError | string | null }): JSX.Element {
  return (
    <p class="fault" role="alert">
      {typeof fault === 'string' ? fault : fault?.message}
    </p>
  );
}
