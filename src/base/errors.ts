// The one registry of error codes: C++ statuses, HTTP answers and command-line refusals all use these spellings.

/** Every code a caller may branch on, with its HTTP status. Source: the interface specification, section 7. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_base64: 400,
  invalid_url: 400,
  url_not_public: 400,
  invalid_batch: 400,
  unauthorized: 401,
  plan_required: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_mismatch: 409,
  image_too_large: 413,
  batch_too_large: 413,
  unsupported_media_type: 415,
  unsupported_format: 415,
  url_fetch_failed: 422,
  image_too_small: 422,
  image_too_many_pixels: 422,
  jpeg_quality_too_low: 422,
  image_corrupt: 422,
  quota_exceeded: 429,
  rate_limited: 429,
  internal_error: 500,
  not_configured: 501,
  overloaded: 503,
  unavailable: 503,
  deadline_exceeded: 504,
} as const;

/** A stable, machine-readable error code. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** True where `value` is a code of the registry. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_STATUS, value);
}

/**
 * A refusal or failure with a code of the registry. `message` is written for the caller: what was
 * wrong, what is allowed, what was received; never a path, a key or a stack. `status` and `expose`
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
    this.status = ERROR_STATUS[code];
    this.expose = code !== 'internal_error';
  }
}

/** The same error, about `param` if it names nothing itself. */
export function aboutParam(error: CheckError, param: string): CheckError {
  return error.param === null ? Object.assign(error, { param }) : error;
}

/** Why an engine could not start: a device that can't be had, or a models folder that is not sound. */
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
