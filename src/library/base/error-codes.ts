// All error codes with their HTTP status and meaning, from which responses, documents, pages, records and
// scans take them.
import {
  MAX_BATCH_IMAGES,
  MAX_BATCH_MB,
  MAX_IMAGE_MB,
  MAX_MEGAPIXELS,
  MAX_SIDE_PX,
  MIN_JPEG_QUALITY,
  MIN_SHORTER_SIDE_PX,
} from './limits.js';

/**
 * Cause of an error: the image (every caller gets the same error for it), the request, the account (key,
 * plan, usage) or the current state of the service.
 */
type ErrorSubject = 'picture' | 'request' | 'account' | 'service';

interface ErrorFacts {
  readonly status: number;
  readonly about: ErrorSubject;
  /** Meaning in one line. */
  readonly meaning: string;
  /** Seconds to wait before a retry; absent if they vary or a retry is useless. */
  readonly retryAfterS?: number;
}

/** Error codes by name. Source: interface specification, section 7. */
export const ERROR_CODES = {
  invalid_request: {
    status: 400,
    about: 'request',
    meaning: 'no image or more than one way of sending it, unknown member, wrong type, bad JSON, bad option',
  },
  invalid_base64: { status: 400, about: 'request', meaning: 'image_b64 is not standard base64, or empty' },
  invalid_url: {
    status: 400,
    about: 'request',
    meaning: 'image_url is not an absolute http or https address, or holds a user name',
  },
  url_not_public: {
    status: 400,
    about: 'request',
    meaning: 'image_url, or anything it redirects or resolves to, is not a public address',
  },
  invalid_batch: { status: 400, about: 'request', meaning: `no image, or more than ${MAX_BATCH_IMAGES}` },
  unauthorized: {
    status: 401,
    about: 'account',
    meaning: 'the API key is missing, malformed, unknown, expired or revoked',
  },
  plan_required: {
    status: 403,
    about: 'account',
    meaning: 'the plan of the API key does not include this',
  },
  forbidden: {
    status: 403,
    about: 'account',
    meaning:
      'the API key lacks the scope that this needs; in the console, the role of the signed-in member does not allow it',
  },
  not_found: {
    status: 404,
    about: 'request',
    meaning: 'no such path, or no such scan or check of this account',
  },
  method_not_allowed: {
    status: 405,
    about: 'request',
    meaning: 'the path exists, the method does not; Allow lists those that do',
  },
  idempotency_mismatch: {
    status: 409,
    about: 'request',
    meaning: 'the same Idempotency-Key was used for another request',
  },
  image_not_kept: {
    status: 409,
    about: 'request',
    meaning:
      'an appeal against a check of which neither the image nor its hash is kept, or whose image shows too little',
  },
  too_many_appeals: {
    status: 409,
    about: 'request',
    meaning: 'the check has as many appeals, or open links for them, as it may have',
  },
  image_too_large: { status: 413, about: 'picture', meaning: `over ${MAX_IMAGE_MB} MB` },
  batch_too_large: { status: 413, about: 'request', meaning: `over ${MAX_BATCH_MB} MB in all` },
  unsupported_media_type: {
    status: 415,
    about: 'request',
    meaning:
      'the content type is neither multipart/form-data nor application/json, or the body is compressed',
  },
  unsupported_format: {
    status: 415,
    about: 'picture',
    meaning: 'the bytes are none of JPEG, PNG, WebP, AVIF, GIF, BMP, TIFF, whatever the name or type says',
  },
  url_fetch_failed: {
    status: 422,
    about: 'request',
    meaning: 'no answer in time, a status other than 200, too many redirects, TLS failure',
  },
  image_too_small: {
    status: 422,
    about: 'picture',
    meaning: `the shorter side is under ${MIN_SHORTER_SIDE_PX} px`,
  },
  image_too_many_pixels: {
    status: 422,
    about: 'picture',
    meaning: `more than ${MAX_MEGAPIXELS} megapixels, or a side over ${MAX_SIDE_PX.toLocaleString('en')} px`,
  },
  jpeg_quality_too_low: {
    status: 422,
    about: 'picture',
    meaning: `a JPEG estimated below quality ${MIN_JPEG_QUALITY}`,
  },
  image_corrupt: { status: 422, about: 'picture', meaning: 'it can not be decoded, or ends early' },
  quota_exceeded: { status: 429, about: 'account', meaning: "the period's checks are used up" },
  storage_full: {
    status: 429,
    about: 'account',
    meaning:
      "the responses kept for the account's Idempotency-Keys take up all its space; each is kept for 24 hours",
    retryAfterS: 3600,
  },
  rate_limited: {
    status: 429,
    about: 'account',
    meaning: 'too many requests a second; Retry-After says how long to wait',
  },
  internal_error: {
    status: 500,
    about: 'service',
    meaning: 'a fault of the service; X-Request-Id names it in the log',
  },
  not_configured: {
    status: 501,
    about: 'service',
    meaning: 'this installation lacks the means; the message says how to enable it',
  },
  overloaded: {
    status: 503,
    about: 'service',
    meaning: 'the queue is full or the service is stopping; Retry-After says how long to wait',
    retryAfterS: 1,
  },
  unavailable: {
    status: 503,
    about: 'service',
    meaning:
      'the database can not be reached, or the process that reads Content Credentials does not start; if the connection broke during a write, a retry with the same Idempotency-Key pays once',
    retryAfterS: 2,
  },
  deadline_exceeded: {
    status: 504,
    about: 'service',
    meaning: "the check did not finish within the service's time limit",
  },
} as const satisfies Readonly<Record<string, ErrorFacts>>;

/** A stable, machine-readable error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** All codes, ordered by HTTP status. */
export const ERROR_CODE_NAMES = Object.keys(ERROR_CODES) as readonly ErrorCode[];

/** Returns the status, cause and meaning of a code. */
export function errorFacts(code: ErrorCode): ErrorFacts {
  return ERROR_CODES[code];
}

/** Returns whether `value` is an error code. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value);
}

/** Returns the codes of errors with this cause, ordered by HTTP status. */
export function codesAbout(subject: ErrorSubject): readonly ErrorCode[] {
  return ERROR_CODE_NAMES.filter((code) => errorFacts(code).about === subject);
}

/** HTTP status of every code, for programs that embed the engine. */
export const ERROR_STATUS = Object.fromEntries(
  ERROR_CODE_NAMES.map((code) => [code, ERROR_CODES[code].status]),
) as Readonly<Record<ErrorCode, number>>;
