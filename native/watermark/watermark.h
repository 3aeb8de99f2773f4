// Open invisible watermarks that generators' own scripts write into the pixels.
#pragma once

#include <vector>

#include "base/fields.h"
#include "image/image.h"

namespace telltale {

// A detected known message.
struct Watermark {
  const char* generator;  // generator whose scripts write the message; static storage
  int matching_bits;      // number of bits of the message that match
  int bits;               // length of the message
  TELLTALE_FIELDS(generator, matching_bits, bits)
};

// Returns the known messages in `image`, written by the method "dwtDct" of the library invisible-watermark
// 0.2. In each block of 8 x 8 px, the largest coefficient of U's Haar low band holds one bit. The message
// repeats over the blocks. A message counts only if so many bits match that random bits would do so with a
// probability of at most 1.5e-10; all bits of a 32-bit message must match. Over all five messages, fewer than
// one in 10^9 images with random bits are reported. Rescaling, cropping and most JPEG compression destroy
// these watermarks (docs/evidence.md). Thread-safe; reads the pixels once.
std::vector<Watermark> FindWatermarks(const Image& image);

// Returns the minimum number of matching bits for a message of `bits` bits.
int MatchThreshold(int bits);

}  // namespace telltale
