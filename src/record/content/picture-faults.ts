// Which refusals are about the picture itself: what is recorded of it then holds for everybody, at any time.
import type { ErrorCode } from '../../base/errors.js';

const PICTURE_FAULTS: readonly ErrorCode[] = [
  'image_too_large',
  'unsupported_format',
  'image_too_small',
  'image_too_many_pixels',
  'jpeg_quality_too_low',
  'image_corrupt',
];

/** Whether a refusal with this code is. */
export function isPictureFault(code: ErrorCode): boolean {
  return PICTURE_FAULTS.includes(code);
}
