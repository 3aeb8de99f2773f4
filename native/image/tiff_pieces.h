// Reading TIFF files whose strips or tiles declare too large sizes.
#pragma once

#include <optional>
#include <vector>

#include "image/tiff_directory.h"

namespace telltale {

// Returns true if a strip or tile of `page` ends outside the file, or if their total is larger than it.
bool ClaimsTooMuch(Bytes bytes, const TiffDirectory& page);

// Returns a copy of the file in which each strip or tile ends at the start of the next one, or at the end of
// the file. The codec then detects missing pixels. Returns nullopt if a strip or tile starts outside the
// file. Also returns nullopt for fax compression, because a fax decoder fills missing pixels with white.
std::optional<std::vector<uint8_t>> WithBoundedPieces(Bytes bytes, const TiffDirectory& page);

}  // namespace telltale
