// Counting sampled pixels in coarse cells of the RGB cube.
#include "engine/colours.h"

#include <algorithm>

namespace telltale {
namespace {

constexpr int kGridSide = 64;   // maximum sampled pixels in a row and in a column
constexpr int kLevelBits = 3;   // bits of each channel: 512 cells
constexpr size_t kMost = 4;     // maximum number of colours returned; a small tile can show four
constexpr int kRareShare = 20;  // a colour with less than 1/20 of the pixels is left out

struct Cell {
  int count = 0;
  std::array<int, 3> sum{};
};

}  // namespace

std::vector<Colour> FindColours(const Image& image) {
  std::vector<Cell> cells(size_t{1} << (3 * kLevelBits));
  const int columns = std::min(image.width, kGridSide);
  const int rows = std::min(image.height, kGridSide);
  for (int row = 0; row < rows; ++row) {
    // 64-bit arithmetic: a side may have 32,768 pixels.
    const uint8_t* line = image.row(static_cast<int>(int64_t{row} * image.height / rows));
    for (int column = 0; column < columns; ++column) {
      const uint8_t* pixel = line + 3 * (int64_t{column} * image.width / columns);
      size_t index = 0;
      for (int channel = 0; channel < 3; ++channel)
        index = index << kLevelBits | pixel[channel] >> (8 - kLevelBits);
      Cell& cell = cells[index];
      ++cell.count;
      for (int channel = 0; channel < 3; ++channel) cell.sum[channel] += pixel[channel];
    }
  }
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.count > b.count; });
  std::vector<Colour> colours;
  for (const Cell& cell : cells) {
    const bool is_rare = cell.count * kRareShare < rows * columns;
    if (colours.size() == kMost || cell.count == 0 || (is_rare && !colours.empty())) break;
    Colour colour{};
    for (int channel = 0; channel < 3; ++channel)
      colour[channel] = static_cast<uint8_t>(cell.sum[channel] / cell.count);
    colours.push_back(colour);
  }
  return colours;
}

}  // namespace telltale
