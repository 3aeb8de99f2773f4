// Refusing images before they are decoded: too many bytes, too few pixels or too low a JPEG quality.
import { CheckError } from '../base/errors.js';
import { MAX_IMAGE_BYTES, MAX_IMAGE_MB, MIN_JPEG_QUALITY, MIN_SHORTER_SIDE_PX } from '../base/limits.js';
import type { SniffedImage } from '../engine/types.js';

/** Throws CheckError `image_too_large` if a file has too many bytes. */
export function admitSize(sizeBytes: number): void {
  if (sizeBytes <= MAX_IMAGE_BYTES) return;
  const receivedMb = (sizeBytes / 1_000_000).toFixed(1);
  throw new CheckError(
    'image_too_large',
    `the image has ${receivedMb} MB (${sizeBytes} bytes); at most ${MAX_IMAGE_MB} MB (${MAX_IMAGE_BYTES} bytes) are allowed`,
  );
}

/** Throws CheckError `image_too_small` or `jpeg_quality_too_low`, in this order, by an image's header. */
export function admitHeader(image: SniffedImage): void {
  if (Math.min(image.width, image.height) < MIN_SHORTER_SIDE_PX) {
    throw new CheckError(
      'image_too_small',
      `The image has ${image.width} × ${image.height} px. The shorter side must have at least ${MIN_SHORTER_SIDE_PX} px`,
    );
  }
  if (image.jpegQuality !== null && image.jpegQuality < MIN_JPEG_QUALITY) {
    throw new CheckError(
      'jpeg_quality_too_low',
      `The JPEG quality is about ${image.jpegQuality}. At least about ${MIN_JPEG_QUALITY} is required`,
    );
  }
}
