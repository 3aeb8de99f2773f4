// The time limit and the abort signal of a check.
import { performance } from 'node:perf_hooks';
import { listenForAbort } from '../base/concurrency.js';
import { CheckError } from '../base/errors.js';
import type { CheckInput } from './types.js';

/** Clock of one check, with its time limit and signal. */
export interface Deadline {
  /** Returns the milliseconds since the start. */
  elapsedMs(): number;
  /** Returns options for the engine: the signal, and the remaining milliseconds (at least 0). */
  remaining(): { signal?: AbortSignal; deadlineMs?: number };
  /**
   * Settles as `work` does. Rejects earlier with CheckError `deadline_exceeded` or the signal's reason;
   * `work` then continues, but its result is ignored.
   */
  race<T>(work: Promise<T>): Promise<T>;
}

/** Starts the clock. Throws the signal's reason if it is already aborted. */
export function startDeadline({ signal, deadlineMs }: Pick<CheckInput, 'signal' | 'deadlineMs'>): Deadline {
  signal?.throwIfAborted();
  const startMs = performance.now();
  const elapsedMs = (): number => performance.now() - startMs;
  const remainingMs = (): number => Math.max(0, Math.floor((deadlineMs ?? Infinity) - elapsedMs()));
  return {
    elapsedMs,
    remaining: () => ({
      ...(signal && { signal }),
      ...(deadlineMs !== undefined && { deadlineMs: remainingMs() }),
    }),
    race: (work) =>
      new Promise((resolve, reject) => {
        const expire = (): void => {
          reject(new CheckError('deadline_exceeded', `the check did not finish within ${deadlineMs} ms`));
        };
        const abort = (): void => {
          reject(signal?.reason as Error);
        };
        const timer = deadlineMs === undefined ? undefined : setTimeout(expire, remainingMs());
        if (signal?.aborted) abort();
        const stopListening = listenForAbort(signal, abort);
        void work.then(resolve, reject).finally(() => {
          clearTimeout(timer);
          stopListening();
        });
      }),
  };
}
