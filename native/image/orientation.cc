// Turning an image upright. Flips work in place. Transposing copies square tiles, so that source and target
// stay in the processor's cache.
#include "image/orientation.h"

#include <algorithm>

namespace telltale {
namespace {

void CopyPixel(const uint8_t* from, uint8_t* to) {
  to[0] = from[0];
  to[1] = from[1];
  to[2] = from[2];
}

void MirrorRow(uint8_t* row, int width) {
  uint8_t* left = row;
  uint8_t* right = row + static_cast<size_t>(width - 1) * kChannels;
  for (; left < right; left += kChannels, right -= kChannels) std::swap_ranges(left, left + kChannels, right);
}

void MirrorLeftRight(Image* image) {
  for (int y = 0; y < image->height; ++y) MirrorRow(image->row(y), image->width);
}

void MirrorTopBottom(Image* image) {
  const size_t stride = static_cast<size_t>(image->width) * kChannels;
  for (int y = 0; y < image->height / 2; ++y) {
    std::swap_ranges(image->row(y), image->row(y) + stride, image->row(image->height - 1 - y));
  }
}

void TurnHalf(Image* image) {
  MirrorTopBottom(image);
  MirrorLeftRight(image);
}

// Exchanges rows and columns. `from_bottom` and `from_right` count from the end of an axis.
void Transpose(Image* image, bool from_bottom, bool from_right) {
  constexpr int kTile = 32;
  Image turned;
  turned.width = image->height;
  turned.height = image->width;
  turned.is_transparent = image->is_transparent;
  turned.pixels.resize(image->pixels.size());
  for (int top = 0; top < image->height; top += kTile) {
    for (int left = 0; left < image->width; left += kTile) {
      const int bottom = std::min(top + kTile, image->height);
      const int right = std::min(left + kTile, image->width);
      for (int x = left; x < right; ++x) {
        uint8_t* row = turned.row(from_right ? image->width - 1 - x : x);
        for (int y = top; y < bottom; ++y) {
          const int column = from_bottom ? image->height - 1 - y : y;
          CopyPixel(image->row(y) + static_cast<size_t>(x) * kChannels,
                    row + static_cast<size_t>(column) * kChannels);
        }
      }
    }
  }
  *image = std::move(turned);
}

}  // namespace

void MakeUpright(Image* image, int orientation) {
  switch (orientation) {
    case 2:
      return MirrorLeftRight(image);
    case 3:
      return TurnHalf(image);
    case 4:
      return MirrorTopBottom(image);
    case 5:
      return Transpose(image, false, false);
    case 6:
      return Transpose(image, true, false);
    case 7:
      return Transpose(image, true, true);
    case 8:
      return Transpose(image, false, true);
    default:
      return;
  }
}

}  // namespace telltale
