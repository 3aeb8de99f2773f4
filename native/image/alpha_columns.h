// The alpha channel at the left edge of a picture.
#pragma once

#include <optional>
#include <vector>

#include "image/image.h"

namespace telltale {

// Alpha of the first columns of a picture, as its file stores them.
struct AlphaColumns {
  int width = 0;                 // columns that were read
  int height = 0;                // of the picture, pixels
  std::vector<uint8_t> samples;  // height * width, row by row
};

// As many of the first columns of `file` as hold `least_samples` samples, or all of them. Nothing if the
// format or this file keeps no alpha of 8 bits, and for interlaced and moving pictures. `file` passed Decode.
// Thread-safe.
std::optional<AlphaColumns> ReadAlphaColumns(Bytes file, size_t least_samples);

// Columns of a picture of this size that hold `least_samples` samples.
int CountColumns(int width, int height, size_t least_samples);

}  // namespace telltale
