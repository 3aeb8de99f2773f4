// Strips and tiles of a TIFF whose sizes are written too large.
#pragma once

#include <optional>
#include <vector>

#include "image/tiff_directory.h"

namespace telltale {

// Whether a strip or tile of `page` ends outside the file, or all together have more bytes than the file.
bool ClaimsTooMuch(Bytes bytes, const TiffDirectory& page);

// The file with each of these sizes cut where the next strip or tile starts, or the file ends. The codec sees
// then whether pixels are missing. Nothing if one starts outside the file, or in a file of fax codes: their
// decoder fills up with white what is missing.
std::optional<std::vector<uint8_t>> WithBoundedPieces(Bytes bytes, const TiffDirectory& page);

}  // namespace telltale
