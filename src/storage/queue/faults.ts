// Tells faults of the queue's database from mistakes of ours.
import { asDatabaseFault, noteDriverError } from '../db/faults.js';

/**
 * Gives the error to pass on, as asDatabaseFault does. pg-boss has a driver of its own, which nothing watches, so whatever
 * it rejects with counts as the driver's, except errors by which JavaScript or Node reports a wrong call.
 */
export function asQueueFault(error: unknown): unknown {
  const isMistake =
    error instanceof TypeError ||
    error instanceof RangeError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_ASSERTION'));
  return asDatabaseFault(isMistake ? error : noteDriverError(error));
}
