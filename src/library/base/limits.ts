// Limits of images and requests. Texts that name a limit read it from here.

/** Maximum size of an image in MB for messages; 20 MiB are accepted, so that rounding refuses nobody. */
export const MAX_IMAGE_MB = 20;
/** Maximum bytes of an image. */
export const MAX_IMAGE_BYTES = MAX_IMAGE_MB * 1_048_576;

/** Maximum size of all images of a batch in MB for messages; 25 MiB are accepted. */
export const MAX_BATCH_MB = 25;
/** Maximum bytes of all images of a batch. */
export const MAX_BATCH_BYTES = MAX_BATCH_MB * 1_048_576;
/** Maximum number of images in a batch. */
export const MAX_BATCH_IMAGES = 8;

/** Minimum shorter side in pixels; the detectors need as much. Source: interface specification, section 4.1. */
export const MIN_SHORTER_SIDE_PX = 256;
/** Minimum JPEG quality; stronger compression hides traces. Source: interface specification, section 4.1. */
export const MIN_JPEG_QUALITY = 50;

/**
 * Minimum shorter side of a scored face box in pixels, the same as in native/face/face.h. Source: interface
 * specification, section 8.
 */
export const MIN_FACE_PX = 64;
/** Side of a token, the encoder's unit of a crop, in pixels; the same as in native/engine/heat_map.h. */
export const TOKEN_PX = 16;

/** Maximum side in pixels; the same as in native/image/sniff.h. */
export const MAX_SIDE_PX = 32_768;
/** Maximum number of megapixels; the same as in native/image/sniff.h. */
export const MAX_MEGAPIXELS = 100;
