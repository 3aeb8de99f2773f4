// How much libavif would do for the pixels of an AVIF file, summed up before it does.
#pragma once

#include "image/byte_reader.h"

namespace telltale {

// What OpenAvif and Decode ask of an AVIF file. libavif decodes the streams of an image, its alpha and its
// tiles in one go and scales each to the size that its item has. Whether their frames are within Av1Work's
// limits, and the sizes of all items together within its pixels. Those are enough for an image of 100
// megapixels, its tiles and its alpha. Every item counts, whatever its type is said to be, and of each track
// the first sample. The tiles of a grid are all kept until the last is there, and have together little
// more than its canvas. The boxes are within AvifCounts. By the limits of libavif 0.11 alone,
// hostile_avif_test's grid_of_large_tiles takes 4.6 GB.
struct AvifWork {
  bool is_bearable = false;
  // What libavif holds at its highest where that is so: the frames, and an image of the size of each item.
  uint64_t bytes = 0;
};

AvifWork MeasureAvifWork(Bytes file);

}  // namespace telltale
