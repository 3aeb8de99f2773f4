// The order of the tiles of an AVIF grid.
#pragma once

#include "image/byte_reader.h"

namespace telltale {

// The reference of a grid (`dimg`) says where each tile belongs. libavif 0.11 puts tiles in the
// order in which the boxes first mention them as items, which writers make the same. Whether it is the same
// in all grids of the file. The boxes are within AvifCounts.
bool AreTilesInOrder(Bytes file);

}  // namespace telltale
