// The input of every network: rows of RGB pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace telltale {

// uint8 [rows, height, width, 3], RGB, packed. Owns its pixels, which are initially zero.
struct PixelBatch {
  PixelBatch() = default;
  PixelBatch(int row_count, int height_px, int width_px)
      : rows(row_count), height(height_px), width(width_px), pixels(row_size() * row_count) {}

  // Returns the bytes of one row.
  size_t row_size() const { return static_cast<size_t>(height) * width * 3; }
  uint8_t* row(int index) { return pixels.data() + row_size() * index; }
  const uint8_t* row(int index) const { return pixels.data() + row_size() * index; }

  int rows = 0;
  int height = 0;  // pixels
  int width = 0;   // pixels
  std::vector<uint8_t> pixels;
};

// A view of a PixelBatch's pixels, which another object owns.
struct PixelView {
  const uint8_t* pixels = nullptr;
  int rows = 0;
  int height = 0;
  int width = 0;
};

}  // namespace telltale
