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
 * Cause of an error. `picture`: the image, so that every caller gets the same error for this image;
 * `request`: the request; `account`: the key, plan or usage; `service`: the current state of the service.
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
    meaning:
      'no image, an image sent in more than one way, an unknown field, a wrong type, invalid JSON or an invalid option',
  },
  invalid_base64: { status: 400, about: 'request', meaning: 'image_b64 is empty or not standard base64' },
  invalid_url: {
    status: 400,
    about: 'request',
    meaning: 'image_url is not an absolute http or https address, or contains a user name',
  },
  url_not_public: {
    status: 400,
    about: 'request',
    meaning: 'image_url, a redirect from it or the IP address of its host is not public',
  },
  invalid_batch: {
    status: 400,
    about: 'request',
    meaning: `the batch has no image or more than ${MAX_BATCH_IMAGES} images`,
  },
  unauthorized: {
    status: 401,
    about: 'account',
    meaning: 'the API key is missing, malformed, unknown, expired or revoked',
  },
  plan_required: {
    status: 403,
    about: 'account',
    meaning: 'the plan of the API key does not include this request',
  },
  forbidden: {
    status: 403,
    about: 'account',
    meaning:
      'the API key lacks the required scope; in the console, the role of the signed-in member does not allow the request',
  },
  not_found: {
    status: 404,
    about: 'request',
    meaning: 'the path does not exist, or the account has no such scan or check',
  },
  method_not_allowed: {
    status: 405,
    about: 'request',
    meaning: 'the path does not support this method; the header Allow lists the supported methods',
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
      'an appeal is impossible because neither the image of the check nor its hash is stored, or because the image has too little detail',
  },
  too_many_appeals: {
    status: 409,
    about: 'request',
    meaning: 'the check has reached its maximum number of appeals or of open appeal links',
  },
  image_too_large: {
    status: 413,
    about: 'picture',
    meaning: `the file of the image is larger than ${MAX_IMAGE_MB} MB`,
  },
  batch_too_large: {
    status: 413,
    about: 'request',
    meaning: `the files of the batch are together larger than ${MAX_BATCH_MB} MB`,
  },
  unsupported_media_type: {
    status: 415,
    about: 'request',
    meaning:
      'the content type is neither multipart/form-data nor application/json, or the body is compressed',
  },
  unsupported_format: {
    status: 415,
    about: 'picture',
    meaning:
      'the content of the file is not JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF; its name and declared type are ignored',
  },
  url_fetch_failed: {
    status: 422,
    about: 'request',
    meaning:
      'the server of image_url did not respond in time, returned a status other than 200 or too many redirects, or TLS failed',
  },
  image_too_small: {
    status: 422,
    about: 'picture',
    meaning: `the shorter side of the image is less than ${MIN_SHORTER_SIDE_PX} px`,
  },
  image_too_many_pixels: {
    status: 422,
    about: 'picture',
    meaning: `the image has more than ${MAX_MEGAPIXELS} megapixels or a side longer than ${MAX_SIDE_PX.toLocaleString('en')} px`,
  },
  jpeg_quality_too_low: {
    status: 422,
    about: 'picture',
    meaning: `the estimated JPEG quality is below ${MIN_JPEG_QUALITY}`,
  },
  image_corrupt: {
    status: 422,
    about: 'picture',
    meaning: 'the image cannot be decoded, or its file is incomplete',
  },
  quota_exceeded: {
    status: 429,
    about: 'account',
    meaning: "all checks of the plan's current period are used",
  },
  storage_full: {
    status: 429,
    about: 'account',
    meaning:
      "the responses stored for the account's Idempotency-Keys have reached their limit; each is stored for 24 hours",
    retryAfterS: 3600,
  },
  rate_limited: {
    status: 429,
    about: 'account',
    meaning: 'too many requests per second; the header Retry-After has the seconds to wait',
  },
  internal_error: {
    status: 500,
    about: 'service',
    meaning: 'an error in the service; X-Request-Id identifies the request in the log',
  },
  not_configured: {
    status: 501,
    about: 'service',
    meaning: 'the feature is not set up on this installation; the message says how to enable it',
  },
  overloaded: {
    status: 503,
    about: 'service',
    meaning: 'the queue is full or the service is stopping; the header Retry-After has the seconds to wait',
    retryAfterS: 1,
  },
  unavailable: {
    status: 503,
    about: 'service',
    meaning:
      'the database cannot be reached, or the process that reads Content Credentials does not start; after a lost connection, a retry with the same Idempotency-Key is charged only once',
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
