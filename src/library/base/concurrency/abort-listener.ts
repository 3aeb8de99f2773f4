// Hearing of an abort for as long as one piece of work lasts.
import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when `signal` aborts; gives a function that stops listening, which the listener must call. One
 * signal may have any number of listeners at once: Node takes more than ten for a leak, and prints a warning for each
 * process.
 */
export function listenForAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
