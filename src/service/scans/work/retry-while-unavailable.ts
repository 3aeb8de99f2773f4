// Waits for the database, or the store, to come back.
import { setTimeout } from 'node:timers/promises';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

const PAUSE_MS = 500;

/**
 * Does what may be done twice until the database or the store, being away, is back. Rejects with what is wrong otherwise, and with `unavailable`
 * once `signal` has aborted.
 */
export async function retryWhileUnavailable<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}

/** Whether an error says that the database or the store is away. */
export function isAway(error: unknown): boolean {
  return error instanceof CheckError && error.code === 'unavailable';
}
