// Open invisible watermarks that generators' own scripts write into the pixels.
#pragma once

#include <vector>

#include "base/fields.h"
#include "image/image.h"

namespace telltale {

// A known message that was found.
struct Watermark {
  const char* generator;  // whose scripts write it; static storage
  int matching_bits;      // of its message
  int bits;               // length of its message
  TELLTALE_FIELDS(generator, matching_bits, bits)
};

// The known messages in `image`, written by the method "dwtDct" of the library invisible-watermark 0.2. For
// each block of 8 x 8 px the largest coefficient of the Haar low band of U holds one bit. The message repeats
// over the blocks. A message counts from the number of matching bits that random bits reach with a
// probability of 1.5e-10 or less. A message of 32 bits counts if all match. Over all five messages random
// bits count less than once in 10^9 images of independent bits. Lost by rescaling, by cropping, and by most
// JPEG compression (docs/evidence.md). Thread-safe; reads the pixels once.
std::vector<Watermark> FindWatermarks(const Image& image);

// Matching bits from which a message of `bits` bits counts.
int MatchThreshold(int bits);

}  // namespace telltale
