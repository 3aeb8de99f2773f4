// Choosing and cutting patches.
#include "engine/patches.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace telltale {
namespace {

// Mirrors `index` into 0..size-1 without repeating the edge.
int Reflect(int index, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  index %= period;
  return index < size ? index : period - index;
}

}  // namespace

std::vector<Box> SelectPatches(const Image& image, int size_px, int max_patches) {
  int columns = std::max(1, (image.width + size_px - 1) / size_px);
  int rows = std::max(1, (image.height + size_px - 1) / size_px);
  while (columns * rows > max_patches) {
    if (columns * image.height >= rows * image.width && columns > 1) {
      --columns;
    } else {
      --rows;
    }
  }
  std::vector<Box> boxes;
  const int width = std::min(size_px, image.width);
  const int height = std::min(size_px, image.height);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int x = columns == 1 ? (image.width - width) / 2 : (image.width - width) * column / (columns - 1);
      const int y = rows == 1 ? (image.height - height) / 2 : (image.height - height) * row / (rows - 1);
      boxes.push_back({x, y, width, height});
    }
  }
  return boxes;
}

void CopyPatch(const Image& image, const Box& box, int size_px, uint8_t* patch) {
  for (int y = 0; y < size_px; ++y) {
    const uint8_t* source = image.row(Reflect(box.y + y, image.height));
    uint8_t* target = patch + static_cast<size_t>(y) * size_px * 3;
    std::memcpy(target, source + static_cast<size_t>(box.x) * 3, static_cast<size_t>(box.width) * 3);
    for (int x = box.width; x < size_px; ++x)
      std::memcpy(target + x * 3, source + Reflect(box.x + x, image.width) * 3, 3);
  }
}

}  // namespace telltale
