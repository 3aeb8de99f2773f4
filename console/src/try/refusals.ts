// What an error says beside its words: whether the picture is to blame, and whether the check was charged.
import type { ErrorCode } from '../../../src/base/errors.js';
import type { ApiError } from '../api.js';

/** Codes about the picture itself: another picture, or the original of this one, would be checked. */
const PICTURE_CODES: readonly ApiError['code'][] = [
  'image_too_large',
  'unsupported_format',
  'image_too_small',
  'image_too_many_pixels',
  'jpeg_quality_too_low',
  'image_corrupt',
] satisfies ErrorCode[];

/** Whether it helps to be told which pictures are accepted. */
export function isOfPicture({ code }: Pick<ApiError, 'code'>): boolean {
  return PICTURE_CODES.includes(code);
}

/** What is known of the charge; null where nothing is to be said but the service's own message. */
export function describeCharge({ code, status }: Pick<ApiError, 'code' | 'status'>): string | null {
  // No answer of the service came: the check may have been made all the same.
  if (code === 'unreachable') return 'It may have been charged; the page Usage tells.';
  return status < 500 ? 'Nothing was charged.' : null;
}
