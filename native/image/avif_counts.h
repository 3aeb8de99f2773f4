// Limits on the entries that the boxes of an AVIF file declare, checked before libavif reads them.
#pragma once

#include <cstdint>

#include "image/byte_reader.h"

namespace telltale {

// Limits per file. For each item that a box names, libavif searches all items; for each tile of a grid, it
// opens a decoder of about 0.4 MB; and it keeps every list. A small file could therefore take seconds or
// gigabytes. Chosen: well above real files (a phone's grid has up to about 100 tiles, twice that with alpha).
// libavif 0.11 does not limit these numbers: it parses a grid of 255 x 255 tiles of 16 px for more than 13 s.
struct AvifCounts {
  static constexpr uint64_t kMaxItems = 256;  // also the limit of tiles in one grid
  static constexpr uint64_t kMaxBoxes = 4096;
  static constexpr uint64_t kMaxListed = 4096;  // of each: associations, references, extents, chunk runs
  static constexpr uint64_t kMaxSampleEntries = 100'000;  // of all sample tables, and frames
  static constexpr uint64_t kMaxRunSteps =
      4'000'000;  // number of chunks times number of runs that are searched for each

  // Returns true if everything in the file's boxes is within the limits. Truncated boxes are ignored, because
  // libavif rejects them.
  static bool AreBearable(Bytes file);
};

}  // namespace telltale
