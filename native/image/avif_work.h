// Estimating the decoder's work for an AVIF file, before its pixels are decoded.
#pragma once

#include "image/byte_reader.h"

namespace telltale {

// Work that libavif would do for an AVIF file. It decodes an image, its transparency and its tiles in one
// call, and scales each to its declared size. `is_bearable` is true if frames and sizes are within the limits
// of Av1Work, which allow an image of 100 megapixels with tiles and transparency. All images in the file
// count, whatever type they declare. Of an image sequence, only the first frame counts. The tiles of a grid
// may have slightly more pixels than its canvas, because libavif keeps all of them until the last is decoded.
// Requires that the file is within the limits of AvifCounts. libavif 0.11 has weaker limits:
// grid_of_large_tiles in hostile_avif_test takes 4.6 GB with them.
struct AvifWork {
  bool is_bearable = false;
  // Maximum memory that libavif needs, in bytes, if the work is bearable.
  uint64_t bytes = 0;
};

AvifWork MeasureAvifWork(Bytes file);

}  // namespace telltale
