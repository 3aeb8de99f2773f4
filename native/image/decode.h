// Decoding the seven formats to upright RGB.
#pragma once

#include "base/cancellation.h"
#include "image/image.h"
#include "image/sniff.h"

namespace telltale {

// Decodes the first frame. Sniffs first, so all limits apply to every caller. Thread-safe; never throws, for
// any bytes. Peak memory is a small multiple of width * height * 3.
//
// Checks `cancellation` between rows, scans, strips or tiles. libwebp and libavif decode in one call that
// cannot be cancelled: libwebp decodes one frame of at most 100 megapixels, libavif frames of at most 400
// megapixels together (Av1Work).
//
// If `enough_px` is not 0, a JPEG may be decoded at a half, a quarter or an eighth of its size, with its
// longer side at least `enough_px`. This is for callers that shrink the image anyway. Errors: as Sniff;
// kImageCorrupt for a stream that ends early or cannot be decoded; as `cancellation`.
Result<Image> Decode(Bytes bytes, const Cancellation& cancellation = Cancellation(), int enough_px = 0);

// Returns an upper bound of the memory for Decode of `bytes` and for work on its image, not counting `bytes`.
// The bound follows from the format, size and structure in the header. Returns 0 if Sniff rejects the file.
// Thread-safe; never throws.
uint64_t MeasureDecode(Bytes bytes);

}  // namespace telltale
