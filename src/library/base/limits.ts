// What an image, or a request with several, may be at most and must be at least. Every text that names a limit takes it from here.

/** As people are told it; 20 MiB go through, so that nobody is refused on a rounding. */
export const MAX_IMAGE_MB = 20;
/** Bytes of one image. */
export const MAX_IMAGE_BYTES = MAX_IMAGE_MB * 1_048_576;

/** Of the images of one batch; 25 MiB go through. */
export const MAX_BATCH_MB = 25;
/** Bytes of all images of one batch. */
export const MAX_BATCH_BYTES = MAX_BATCH_MB * 1_048_576;
/** Images of one batch. */
export const MAX_BATCH_IMAGES = 8;

/** Below this the detectors have too little to see. Source: the interface specification, section 4.1. */
export const MIN_SHORTER_SIDE_PX = 256;
/** Below this compression hides the traces. Source: the interface specification, section 4.1. */
export const MIN_JPEG_QUALITY = 50;

/** Shorter side of a face box from which a face is scored; the engine's own bound (native/face/face.h). Source: the interface specification, section 8. */
export const MIN_FACE_PX = 64;
/** Side of a token, the encoder's unit of a view; the engine's own (native/engine/heat_map.h). */
export const TOKEN_PX = 16;

/** Longest side; the engine's own bound (native/image/sniff.h). */
export const MAX_SIDE_PX = 32_768;
/** Pixels of an image, in millions; the engine's own bound (native/image/sniff.h). */
export const MAX_MEGAPIXELS = 100;
