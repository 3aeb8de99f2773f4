// Speed limit of the codecs: each library is called in the shortest way that returns RGB pixels, without
// Telltale's checks.
#pragma once

#include <cstdint>
#include <vector>

#include "image/sniff.h"

namespace telltale::bench {

// Decodes `bytes`, a file of `format` that our decoder accepts, to RGB in `pixels`, rows without padding.
// `pixels` is reused between calls, so that its memory is already mapped. Omits orientation, limits,
// transparency and detection of damage. Returns false for GIF and BMP, which no load contains, and for files
// that need more work to become RGB (tiles, other colour spaces).
bool DecodeBare(ImageFormat format, Bytes bytes, std::vector<uint8_t>* pixels);

}  // namespace telltale::bench
