// What is refused before a pixel is decoded: too many bytes, too few pixels, too low a JPEG quality.
import { CheckError } from '../base/errors.js';
import type { SniffedImage } from '../engine/types.js';

/** 20 MiB go through where 20 MB are promised, so that nobody is refused on a rounding. */
export const MAX_IMAGE_BYTES = 20 * 1_048_576;

/** Below this the detectors have too little to see. Source: the interface specification, section 4.1. */
export const MIN_SHORTER_SIDE_PX = 256;

/** Below this compression hides the traces. Source: the interface specification, section 4.1. */
export const MIN_JPEG_QUALITY = 50;

/** Throws CheckError `image_too_large` where a file of `sizeBytes` may not be checked. */
export function admitSize(sizeBytes: number): void {
  if (sizeBytes <= MAX_IMAGE_BYTES) return;
  const receivedMb = (sizeBytes / 1_000_000).toFixed(1);
  throw new CheckError(
    'image_too_large',
    `the image has ${receivedMb} MB (${sizeBytes} bytes); at most 20 MB (${MAX_IMAGE_BYTES} bytes) are allowed`,
  );
}

/** Throws CheckError `image_too_small` or `jpeg_quality_too_low`, in that order, by what the header says. */
export function admitHeader(image: SniffedImage): void {
  if (Math.min(image.width, image.height) < MIN_SHORTER_SIDE_PX) {
    throw new CheckError(
      'image_too_small',
      `the image is ${image.width} × ${image.height} px; the shorter side must be at least ${MIN_SHORTER_SIDE_PX} px`,
    );
  }
  if (image.jpegQuality !== null && image.jpegQuality < MIN_JPEG_QUALITY) {
    throw new CheckError(
      'jpeg_quality_too_low',
      `the JPEG was saved at about quality ${image.jpegQuality}; it must be at least about ${MIN_JPEG_QUALITY}`,
    );
  }
}
