// The one shape of an error: `{ "error": { "code", "message", "param"?, "request_id" } }`.
import type { ErrorCode } from '../../../base/error-codes.js';
import { CheckError } from '../../../base/errors.js';

/** The body of an error response, and an entry of a batch. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    /** The member, field, parameter or header that it is about, if there is one. */
    readonly param?: string;
    /** Names the request in the log, as `X-Request-Id` does. */
    readonly request_id: string;
  };
  /** The signed record of the refusal of a picture, if `include` names it. */
  readonly record?: object;
}

/** A refusal of a picture with its signed record. */
export class RecordedRefusal extends CheckError {
  constructor(
    refusal: CheckError,
    readonly record: object,
  ) {
    super(refusal.code, refusal.message, { cause: refusal, param: refusal.param });
  }
}

const INTERNAL_MESSAGE = 'the service failed on this request; its X-Request-Id names it in the log';

/** Any thrown value as a CheckError: itself, or an `internal_error` that hides it from the caller. */
export function asCheckError(error: unknown): CheckError {
  if (error instanceof CheckError) return error;
  return new CheckError('internal_error', INTERNAL_MESSAGE, { cause: error });
}

/** Shapes an error for the caller of a request. */
export function presentError(error: CheckError, requestId: string): ErrorBody {
  return {
    error: {
      code: error.code,
      message: error.expose ? error.message : INTERNAL_MESSAGE,
      ...(error.param !== null && { param: error.param }),
      request_id: requestId,
    },
    ...(error instanceof RecordedRefusal && { record: error.record }),
  };
}
