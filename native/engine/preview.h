// A small image of an image, and what tells others like it: for records of a check.
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
  // OpenCV's img_hash::PHash of the shrunken pixels, its first byte in the highest bits: copies differ in few
  // bits of it.
  uint64_t perceptual_hash = 0;
  TELLTALE_FIELDS(width, height, jpeg)
};

// `image` shrunk so that its longer side is at most `long_side_px`, as JPEG. The same on every machine with
// the same libraries. Error: kInternalError. Throws cv::Exception and std::bad_alloc.
Result<Preview> MakePreview(const Image& image, int long_side_px);

}  // namespace telltale
