// A preview: a small copy of an image, stored with the record of a check, and a hash that finds similar ones.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fields.h"
#include "base/status.h"
#include "image/image.h"

namespace telltale {

struct Preview {
  int width = 0;   // pixels of `jpeg`
  int height = 0;  // pixels of `jpeg`
  std::vector<uint8_t> jpeg;
  // Hash of the pixels, as cv::img_hash::PHash, first byte highest. Hashes of copies differ in few bits.
  uint64_t perceptual_hash = 0;
  TELLTALE_FIELDS(width, height, jpeg)
};

// Shrinks `image` so that its longer side is at most `long_side_px`, and encodes it as JPEG. The result is
// the same on all machines with the same libraries. Error: kInternalError. Throws cv::Exception,
// std::bad_alloc.
Result<Preview> MakePreview(const Image& image, int long_side_px);

}  // namespace telltale
