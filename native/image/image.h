// The one in-memory picture that all native parts share.
#pragma once

#include <cstdint>
#include <cstddef>
#include <span>
#include <vector>

namespace telltale {

// An upright picture: RGB, 8 bits a channel, rows packed (stride = width * 3), alpha over white,
// EXIF orientation applied.
struct Image {
  int width = 0;   // pixels
  int height = 0;  // pixels
  std::vector<uint8_t> pixels;  // height * width * 3 bytes

  const uint8_t* row(int y) const { return pixels.data() + static_cast<size_t>(y) * width * 3; }
  uint8_t* row(int y) { return pixels.data() + static_cast<size_t>(y) * width * 3; }
};

using Bytes = std::span<const uint8_t>;

}  // namespace telltale
