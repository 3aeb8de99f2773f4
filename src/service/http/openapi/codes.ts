// Which error codes which operations may answer with, for /openapi.json.
import { codesAbout, type ErrorCode } from '../../../base/error-codes.js';

/** Of every request. */
export const COMMON: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'overloaded',
  'unavailable',
  'internal_error',
];
/** Of one image. */
export const ONE_IMAGE: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_base64',
  'invalid_url',
  'url_not_public',
  'url_fetch_failed',
  ...codesAbout('picture'),
  'deadline_exceeded',
];
/** Of one check. */
export const CHECK: readonly ErrorCode[] = [
  ...ONE_IMAGE,
  'unsupported_media_type',
  'quota_exceeded',
  'idempotency_mismatch',
];
/** Of a batch; those of its images stand in their entries. */
export const BATCH: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_batch',
  'batch_too_large',
  'plan_required',
  'unsupported_media_type',
  'quota_exceeded',
  'idempotency_mismatch',
  'deadline_exceeded',
];
/** Of the start of a scan. */
export const SCAN_START: readonly ErrorCode[] = [
  'invalid_request',
  'plan_required',
  'unsupported_media_type',
  'quota_exceeded',
  'idempotency_mismatch',
  'deadline_exceeded',
  'not_configured',
];
/** Of a scan that is asked for by its identifier. */
export const SCAN_READ: readonly ErrorCode[] = ['not_found', 'not_configured'];
