// A preview: a small copy of an image, with a hash that finds similar images. Both are stored with the record
// of a check.
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
  // Hash of the shrunken pixels, as OpenCV's img_hash::PHash, first byte in the highest bits. Hashes of
  // copies differ in few bits.
  uint64_t perceptual_hash = 0;
  TELLTALE_FIELDS(width, height, jpeg)
};

// Shrinks `image` so that its longer side is at most `long_side_px`, and encodes it as JPEG. The result is
// the same on every machine with the same libraries. Error: kInternalError. Throws cv::Exception and
// std::bad_alloc.
Result<Preview> MakePreview(const Image& image, int long_side_px);

}  // namespace telltale
