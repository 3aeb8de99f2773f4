// Limits on the numbers of entries in an AVIF file, checked before libavif reads the entries.
#pragma once

#include <cstdint>

#include "image/byte_reader.h"

namespace telltale {

// Limits per file. libavif searches all items for each item that a box names, opens a decoder of about 0.4
// MB for each tile of a grid, and keeps every list in memory. A small file could therefore take seconds or
// gigabytes. The limits are well above real files, which have up to about 200 tiles. libavif 0.11 has no
// such limits: it takes more than 13 s to read a grid of 255 x 255 tiles of 16 px.
struct AvifCounts {
  static constexpr uint64_t kMaxItems = 256;  // also the limit of tiles in one grid
  static constexpr uint64_t kMaxBoxes = 4096;
  // Maximum of each: associations together with their items, references, extents, and chunk runs.
  static constexpr uint64_t kMaxListed = 4096;
  static constexpr uint64_t kMaxSampleEntries = 100'000;  // of all sample tables, and frames
  static constexpr uint64_t kMaxRunSteps =
      4'000'000;  // number of chunks times number of runs that are searched for each

  // Returns true if the numbers of entries in the file are within the limits. Ignores truncated boxes,
  // because libavif rejects them.
  static bool AreBearable(Bytes file);
};

}  // namespace telltale
