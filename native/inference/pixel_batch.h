// The input of every network: RGB pixels of one or more images of the same size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace telltale {

// Pixels as uint8 [rows, height, width, 3], RGB, without padding. Each row is one image. Initially all zero.
struct PixelBatch {
  PixelBatch() = default;
  PixelBatch(int row_count, int height_px, int width_px)
      : rows(row_count), height(height_px), width(width_px), pixels(row_size() * row_count) {}

  // Returns the number of bytes of one image.
  size_t row_size() const { return static_cast<size_t>(height) * width * 3; }
  uint8_t* row(int index) { return pixels.data() + row_size() * index; }
  const uint8_t* row(int index) const { return pixels.data() + row_size() * index; }

  int rows = 0;
  int height = 0;  // pixels
  int width = 0;   // pixels
  std::vector<uint8_t> pixels;
};

// A reference to the pixels of a PixelBatch, or of several of its rows. Does not own them.
struct PixelView {
  const uint8_t* pixels = nullptr;
  int rows = 0;
  int height = 0;
  int width = 0;
};

}  // namespace telltale
