// Decoding the seven supported formats to upright RGB images.
#pragma once

#include "base/cancellation.h"
#include "image/image.h"
#include "image/sniff.h"

namespace telltale {

// Decodes the first frame of an image file. Checks the header first, so that all limits apply to every
// caller. Thread-safe; never throws, whatever the bytes are. Needs a small multiple of width * height * 3
// bytes of memory.
//
// Stops when `cancellation` is over, at the next row, scan, strip or tile. libwebp and libavif decode in one
// call that cannot be cancelled. libwebp decodes one frame of at most 100 megapixels, and libavif decodes
// frames of at most 400 megapixels together (Av1Work).
//
// `enough_px` is for callers that shrink the image anyway. If it is not 0, a JPEG may be decoded at a half, a
// quarter or an eighth of its size, if its longer side stays at least `enough_px`. Errors: as Sniff and as
// `cancellation`; kImageCorrupt if the data ends early or cannot be decoded.
Result<Image> Decode(Bytes bytes, const Cancellation& cancellation = Cancellation(), int enough_px = 0);

// Returns the maximum bytes of memory for decoding `bytes` and working on the image, without `bytes`.
// Computed from the header. Returns 0 if Sniff rejects the file. Thread-safe; never throws.
uint64_t MeasureDecode(Bytes bytes);

}  // namespace telltale
