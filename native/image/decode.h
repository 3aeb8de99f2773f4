// Bytes to upright RGB, for the seven formats.
#pragma once

#include "image/image.h"
#include "image/sniff.h"

namespace telltale {

// Decodes the first frame. Sniffs first, so every limit holds whoever calls. Thread-safe; never
// throws, whatever the bytes are. Memory at its highest is a small multiple of width * height * 3.
// Errors: those of Sniff; kImageCorrupt for a stream that ends early or can't be decoded.
Result<Image> Decode(Bytes bytes);

}  // namespace telltale
