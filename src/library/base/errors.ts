// Expected errors: refusals with a code, and errors of the set-up. Any other error is a bug.
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/**
 * A refusal or failure with an error code. `message` is written for the caller: the problem, the limit and the
 * received value; never a path, a key or a stack. `status` and `expose` have the names that Koa expects.
 */
export class CheckError extends Error {
  override readonly name = 'CheckError';
  readonly code: ErrorCode;
  /** HTTP status, 4xx or 5xx. */
  readonly status: number;
  /** True if `message` may be shown to the caller: all codes except `internal_error`. */
  readonly expose: boolean;
  /** Name of the invalid field, parameter or header, such as `images.2.image_url`, or null. */
  readonly param: string | null;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; param?: string | null }) {
    super(message, options);
    this.code = code;
    this.param = options?.param ?? null;
    this.status = ERROR_CODES[code].status;
    this.expose = code !== 'internal_error';
  }
}

/** Returns the error with `param`, unless it already names one. */
export function aboutParam(error: CheckError, param: string): CheckError {
  return error.param === null ? Object.assign(error, { param }) : error;
}

/** Code of a start error: an unavailable device, an invalid models folder or an invalid setting. */
export type StartErrorCode = 'device_unavailable' | 'model_invalid' | 'config_invalid';

/** Error of the set-up. It stops the start and never reaches a caller of the service. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Error of an impossible request, whose message is shown to the person or operator who made it. */
export class AskerFault extends Error {}
