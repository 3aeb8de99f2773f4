// Repeats an action while the database or the object store is unavailable.
import { setTimeout } from 'node:timers/promises';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

const PAUSE_MS = 500;

/**
 * Repeats an idempotent action until the database or store is available. Rejects with other errors, and with
 * `unavailable` after `signal` aborted.
 */
export async function retryWhileUnavailable<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isUnavailable(error) || signal.aborted) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}

/** Returns whether an error means that the database or store is unavailable. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof CheckError && error.code === 'unavailable';
}
