// One line on each error code, for /openapi.json and /docs.
import type { ErrorCode } from '../../../base/errors.js';

/** When a code is answered. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_request:
    'no image or more than one way of sending it, unknown member, wrong type, bad JSON, bad option',
  invalid_base64: 'image_b64 is not standard base64, or empty',
  invalid_url: 'image_url is not an absolute http or https address, or holds a user name',
  url_not_public: 'image_url, or anything it redirects or resolves to, is not a public address',
  invalid_batch: 'no image, or more than 8',
  unauthorized: 'the API key is missing, malformed, unknown, expired or revoked',
  plan_required: 'the plan of the API key does not include this',
  forbidden:
    'the API key lacks the scope that this needs; in the console: the role of the member who is signed in does not allow it',
  not_found: 'no such path, or no such scan or check of this account',
  method_not_allowed: 'the path exists, the method does not; Allow lists those that do',
  idempotency_mismatch: 'the same Idempotency-Key was used for another request',
  image_too_large: 'over 20 MB',
  batch_too_large: 'over 25 MB in all',
  unsupported_media_type:
    'the content type is neither multipart/form-data nor application/json, or the body is compressed',
  unsupported_format:
    'the bytes are none of JPEG, PNG, WebP, AVIF, GIF, BMP, TIFF, whatever the name or type says',
  url_fetch_failed: 'no answer in time, a status other than 200, too many redirects, TLS failure',
  image_too_small: 'the shorter side is under 256 px',
  image_too_many_pixels: 'more than 100 megapixels, or a side over 32,768 px',
  jpeg_quality_too_low: 'a JPEG estimated below quality 50',
  image_corrupt: 'it can not be decoded, or ends early',
  quota_exceeded: "the period's checks are used up",
  rate_limited: 'too many requests a second; Retry-After says how long to wait',
  internal_error: 'a fault of the service; X-Request-Id names it in the log',
  not_configured: 'this installation lacks the means; the message says how to enable it',
  overloaded: 'the queue is full or the service is stopping; Retry-After says how long to wait',
  unavailable:
    'the database can not be reached; where the connection broke while it wrote, the same Idempotency-Key pays once',
  deadline_exceeded: "the check did not finish within the service's time limit",
};
