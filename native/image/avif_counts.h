// How much the boxes of an AVIF file announce, counted before libavif believes it.
#pragma once

#include <cstdint>

#include "image/byte_reader.h"

namespace telltale {

// libavif goes through all items for each one that a box names. It opens a decoder of some 0.4 MB for each
// tile of a grid, and keeps whatever is listed. So a small file could take seconds or gigabytes. Chosen: well
// above what writers make (a phone's grid has up to about 100 tiles, twice that with alpha). libavif 0.11 has
// no limit of its own for them: it parses a grid of 255 x 255 tiles of 16 px for more than 13 s.
struct AvifCounts {
  static constexpr uint64_t kMaxItems = 256;  // and tiles of one grid
  static constexpr uint64_t kMaxBoxes = 4096;
  static constexpr uint64_t kMaxListed = 4096;  // of each: associations, references, extents, chunk runs
  static constexpr uint64_t kMaxSampleEntries = 100'000;  // of all sample tables, and frames
  static constexpr uint64_t kMaxRunSteps =
      4'000'000;  // chunks times the runs that are looked through for each

  // Whether all that the file's boxes hold is within the limits. Boxes that are cut off are left to libavif,
  // which refuses them.
  static bool AreBearable(Bytes file);
};

}  // namespace telltale
