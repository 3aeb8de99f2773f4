// Distinguishes errors of the queue's database from programming errors.
import { asDatabaseFault, noteDriverError } from '../db/faults.js';

/**
 * Converts errors as asDatabaseFault does. pg-boss has its own driver, which is not watched, so everything that it
 * rejects with counts as a driver's error, except errors that JavaScript or Node throws for a wrong call.
 */
export function asQueueFault(error: unknown): unknown {
  const isMistake =
    error instanceof TypeError ||
    error instanceof RangeError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_ASSERTION'));
  return asDatabaseFault(isMistake ? error : noteDriverError(error));
}
