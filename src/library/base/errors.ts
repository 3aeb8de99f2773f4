// Errors that the code expects: refused requests, and failed starts. Every other error is a bug.
import { ERROR_CODES, errorFacts, type ErrorCode } from './error-codes.js';

/**
 * A refusal or failure that a caller receives with an error code. `message` states the problem, the limit and
 * the received value, but never a path, a key or a stack trace. Koa, the web framework, reads `status` and
 * `expose`.
 */
export class CheckError extends Error {
  override readonly name = 'CheckError';
  readonly code: ErrorCode;
  /** HTTP status, 4xx or 5xx. */
  readonly status: number;
  /** True if the caller may see `message`, which holds for all codes except `internal_error`. */
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

/** Returns the error for an invalid request. `options` as in CheckError. */
export function invalidRequest(
  message: string,
  options?: ConstructorParameters<typeof CheckError>[2],
): CheckError {
  return new CheckError('invalid_request', message, options);
}

/** Adds the name of the invalid field to an error that has none, and returns the error. */
export function aboutParam(error: CheckError, param: string): CheckError {
  return error.param === null ? Object.assign(error, { param }) : error;
}

/** Returns null if the image caused the error; otherwise throws the error again. */
export function ifUnreadable(error: unknown): null {
  if (error instanceof CheckError && errorFacts(error.code).about === 'picture') return null;
  throw error;
}

/** Code of an error that prevents the start: an unavailable device, invalid models or an invalid setting. */
export type StartErrorCode = 'device_unavailable' | 'model_invalid' | 'config_invalid';

/** Error that prevents the start, so no caller of the service ever receives it. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Error for a request that can't be carried out, such as one with an unknown identifier. The sender sees its message. */
export class RequestFault extends Error {
  constructor(
    message: string,
    /** Name of the invalid field or parameter, or null. */
    readonly param: string | null = null,
    readonly code: 'invalid_request' | 'not_found' = 'invalid_request',
  ) {
    super(message);
  }
}
