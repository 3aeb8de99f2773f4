// Invisible watermarks that open-source generators write into the pixels, by a published method.
#pragma once

#include <vector>

#include "base/fields.h"
#include "image/image.h"

namespace telltale {

// A watermark with a known message.
struct Watermark {
  const char* generator;  // generator whose scripts write the message; static storage
  int matching_bits;      // number of bits of the message that match
  int bits;               // length of the message
  TELLTALE_FIELDS(generator, matching_bits, bits)
};

// Returns the watermarks in `image` that the method "dwtDct" of the library invisible-watermark 0.2 has
// written with a known message. Each block of 8 x 8 px stores one bit, in the largest coefficient of U's Haar
// low band, and the message repeats over the blocks. A message counts if so many bits match that random bits
// would do so with a probability of at most 1.5e-10. Of a 32-bit message, all bits must match. Over all five
// messages, fewer than one in 10^9 images with random bits are reported. Rescaling, cropping and most JPEG
// compression destroy these watermarks (docs/evidence.md). Thread-safe; reads the pixels once.
std::vector<Watermark> FindWatermarks(const Image& image);

// Returns the number of bits that must match in a message of `bits` bits.
int MatchThreshold(int bits);

}  // namespace telltale
