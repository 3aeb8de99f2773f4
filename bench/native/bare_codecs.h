// Decoding without Telltale's checks, to measure how fast the codec libraries can be. Each library is called
// in the shortest way that returns RGB pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "image/sniff.h"

namespace telltale::bench {

// Decodes a file that Telltale's decoder accepts to RGB rows without padding. `pixels` is reused between
// calls, so that its memory is already mapped. Omits orientation, limits, transparency and detection of
// damage. Returns false for GIF and BMP, which the bench does not compare, and for files that need more work
// to become RGB (tiles, other colour spaces).
bool DecodeBare(ImageFormat format, Bytes bytes, std::vector<uint8_t>* pixels);

}  // namespace telltale::bench
