// Listening to an abort signal until a task ends.
import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when `signal` aborts. Returns a function that stops listening, which the caller must
 * call. Allows any number of listeners, because Node reports more than ten as a leak.
 */
export function listenForAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
