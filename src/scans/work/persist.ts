// Waits for the database to come back.
import { setTimeout } from 'node:timers/promises';
import { CheckError } from '../../errors.js';

const PAUSE_MS = 500;

/**
 * Does what may be done twice until the database took it. Rejects with what is wrong otherwise, and with `unavailable`
 * once `signal` has aborted.
 */
export async function persist<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const isAway = error instanceof CheckError && error.code === 'unavailable';
      if (!isAway || signal.aborted) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}
