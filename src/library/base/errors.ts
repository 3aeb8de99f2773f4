// Errors that are planned: refusals with a code, and faults of the set-up. Any other error is a mistake of ours.
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/**
 * A refusal or failure with a code of the registry. `message` is written for the caller: what was
 * wrong, the limit, and the value that was received; never a path, a key or a stack. `status` and `expose`
 * are named as Koa expects them.
 */
export class CheckError extends Error {
  override readonly name = 'CheckError';
  readonly code: ErrorCode;
  /** HTTP status, 4xx or 5xx. */
  readonly status: number;
  /** Whether `message` may be shown to the caller: everything but `internal_error`. */
  readonly expose: boolean;
  /** The member, field, parameter or header that it is about, such as `images.2.image_url`; null if there is none. */
  readonly param: string | null;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; param?: string | null }) {
    super(message, options);
    this.code = code;
    this.param = options?.param ?? null;
    this.status = ERROR_CODES[code].status;
    this.expose = code !== 'internal_error';
  }
}

/** The same error, about `param` if it names nothing itself. */
export function aboutParam(error: CheckError, param: string): CheckError {
  return error.param === null ? Object.assign(error, { param }) : error;
}

/** Why an engine could not start: a device that is unavailable, or an invalid models folder. */
export type StartErrorCode = 'device_unavailable' | 'model_invalid' | 'config_invalid';

/** A fault in how the program was set up; it stops the start and never reaches a caller of the service. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** What somebody asked for can't be done, and he is told so in these words, through whatever it was thrown. */
export class AskerFault extends Error {}
