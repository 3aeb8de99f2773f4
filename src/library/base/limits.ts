// Limits of images and requests. Messages and documents take the numbers from here.

/**
 * Maximum size of an image in MB, for messages. The limit is 20 MiB, so a size that rounds to 20 MB passes.
 */
export const MAX_IMAGE_MB = 20;
/** Maximum bytes of an image. */
export const MAX_IMAGE_BYTES = MAX_IMAGE_MB * 1_048_576;

/** Maximum size of all images of a batch together in MB, for messages. The limit is 25 MiB. */
export const MAX_BATCH_MB = 25;
/** Maximum bytes of all images of a batch. */
export const MAX_BATCH_BYTES = MAX_BATCH_MB * 1_048_576;
/** Maximum number of images in a batch. */
export const MAX_BATCH_IMAGES = 8;

/** Minimum shorter side in pixels that the detectors need. Source: interface specification, section 4.1. */
export const MIN_SHORTER_SIDE_PX = 256;
/** Minimum JPEG quality; lower ones hide traces of AI. Source: interface specification, section 4.1. */
export const MIN_JPEG_QUALITY = 50;

/**
 * Minimum shorter side in pixels of a face to be scored, as in native/face/face.h. Source: interface
 * specification, section 8.
 */
export const MIN_FACE_PX = 64;
/**
 * Side of a token, the smallest square that the encoder tells apart, in px, as in native/engine/heat_map.h.
 */
export const TOKEN_PX = 16;

/** Maximum length of an image's side in pixels, as in native/image/sniff.h. */
export const MAX_SIDE_PX = 32_768;
/** Maximum megapixels of an image, as in native/image/sniff.h. */
export const MAX_MEGAPIXELS = 100;
