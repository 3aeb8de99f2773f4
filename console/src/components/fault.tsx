// An error message.
import type { JSX } from 'preact';
import type { ApiError } from '../api.js';

/** Draws an error message, which screen readers announce, or nothing if `fault` is empty. */
export function Fault({ fault }: { fault: ApiError | string | null }): JSX.Element {
  return (
    <p class="fault" role="alert">
      {typeof fault === 'string' ? fault : fault?.message}
    </p>
  );
}
