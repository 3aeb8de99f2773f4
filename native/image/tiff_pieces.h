// Strips and tiles of a TIFF with declared sizes that are too large.
#pragma once

#include <optional>
#include <vector>

#include "image/tiff_directory.h"

namespace telltale {

// Returns true if a strip or tile of `page` ends outside the file, or if all together are larger than the
// file.
bool ClaimsTooMuch(Bytes bytes, const TiffDirectory& page);

// Returns the file with each of these sizes limited to the start of the next strip or tile, or to the end of
// the file. The codec then detects missing pixels. Returns nullopt if a strip or tile starts outside the
// file, or for fax codes, because a fax decoder fills missing pixels with white.
std::optional<std::vector<uint8_t>> WithBoundedPieces(Bytes bytes, const TiffDirectory& page);

}  // namespace telltale
