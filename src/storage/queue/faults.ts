// Distinguishes failures of the queue's database from programming errors.
import { asDatabaseFault, markDriverError } from '../db/faults.js';

/**
 * Converts errors like asDatabaseFault. pg-boss has a separate driver, whose errors are not recorded. So all its
 * errors count as errors of the driver, except errors that JavaScript or Node throws for a wrong call.
 */
export function asQueueFault(error: unknown): unknown {
  const isMistake =
    error instanceof TypeError ||
    error instanceof RangeError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_ASSERTION'));
  return asDatabaseFault(isMistake ? error : markDriverError(error));
}
