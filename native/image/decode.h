// Bytes to upright RGB, for the seven formats.
#pragma once

#include "base/cancellation.h"
#include "image/image.h"
#include "image/sniff.h"

namespace telltale {

// Decodes the first frame. Sniffs first, so every limit holds for every caller. Thread-safe; never throws,
// whatever the bytes are. Memory at its highest is a small multiple of width * height * 3. `cancellation` is
// looked at between rows, scans, strips or tiles. libwebp and libavif decode in one go, whatever it says.
// libwebp decodes one frame of at most 100 megapixels; libavif decodes what Av1Work allows, frames of 400
// megapixels together. `enough_px`: if it is not 0, a JPEG comes at a half, a quarter or an eighth of its
// size. Its longer side keeps so many pixels: for callers that shrink it anyway. Errors: those of Sniff;
// kImageCorrupt for a stream that ends early or can't be decoded; those of `cancellation`.
Result<Image> Decode(Bytes bytes, const Cancellation& cancellation = Cancellation(), int enough_px = 0);

// The most memory that Decode of `bytes` and the work on its image take, beside `bytes`. It is a bound for
// the format, size and structure that the header tells. 0 if Sniff refuses. Thread-safe; never throws.
uint64_t MeasureDecode(Bytes bytes);

}  // namespace telltale
