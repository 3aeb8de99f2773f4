// Estimating libavif's work on an AVIF file's pixels before it begins.
#pragma once

#include "image/byte_reader.h"

namespace telltale {

// Work that OpenAvif and Decode would do for an AVIF file. libavif decodes the streams of an image, its alpha
// and its tiles in one call, and scales each to its item's size. `is_bearable` is true if the frames are
// within Av1Work's limits and all item sizes together are within its pixel limit. That is enough for an image
// of 100 megapixels with tiles and alpha. Every item counts, whatever type it declares, and of each track the
// first sample. libavif keeps all tiles of a grid until the last is decoded, so together they may hold only
// slightly more pixels than the canvas. The boxes must be within AvifCounts. With only the limits of libavif
// 0.11, grid_of_large_tiles in hostile_avif_test takes 4.6 GB.
struct AvifWork {
  bool is_bearable = false;
  // Peak memory of libavif if the work is bearable: the frames, and an image of each item's size.
  uint64_t bytes = 0;
};

AvifWork MeasureAvifWork(Bytes file);

}  // namespace telltale
