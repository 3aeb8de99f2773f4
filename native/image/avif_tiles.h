// The order of the tiles of an AVIF grid.
#pragma once

#include "image/byte_reader.h"

namespace telltale {

// Returns true if, in all grids of the file, libavif places every tile correctly. A grid's reference (`dimg`)
// defines the position of each tile, but libavif 0.11 uses the order in which the boxes first mention the
// tiles. Most writers use the same order for both. Requires boxes within AvifCounts.
bool AreTilesInOrder(Bytes file);

}  // namespace telltale
