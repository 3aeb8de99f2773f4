// Detecting AVIF files whose tiles libavif would put into wrong places.
#pragma once

#include "image/byte_reader.h"

namespace telltale {

// Returns true if libavif places the tiles of all grids in the file correctly. The reference `dimg` defines
// the position of each tile. libavif 0.11 instead uses the order in which the file first mentions the tiles,
// which is the same for most writers. Requires that the file is within the limits of AvifCounts.
bool AreTilesInOrder(Bytes file);

}  // namespace telltale
