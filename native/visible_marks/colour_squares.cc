// Searching for a row of coloured squares by the colour in the middle of each.
#include "visible_marks/colour_squares.h"

#include <array>
#include <cstdlib>

namespace telltale {
namespace {

// Colours of the squares: yellow, turquoise, green, orange, blue. Measured on 78 images with the squares.
constexpr std::array<std::array<int, 3>, 5> kColours = {
    {{255, 255, 102}, {66, 255, 255}, {81, 218, 76}, {255, 110, 60}, {60, 70, 255}}};
// Maximum difference of a pixel from its square's colour, in levels of 0 to 255. Shrinking to half size and
// JPEG quality 75 change the middles of the squares by less.
constexpr int kTolerance = 32;
constexpr int kSidePx = 16;
constexpr int kSidesInWidth = 64;
// Share of a square that is ignored on each side, because adjacent squares blend when an image is resized.
constexpr double kBorder = 0.3;
constexpr int kMinSidePx = 4;

bool HasColour(const Image& image, const Box& square, const std::array<int, 3>& colour) {
  for (int y = square.y; y < square.y + square.height; ++y) {
    for (int x = square.x; x < square.x + square.width; ++x) {
      const uint8_t* pixel = image.row(y) + 3 * x;
      for (int channel = 0; channel < 3; ++channel) {
        if (std::abs(pixel[channel] - colour[channel]) > kTolerance) return false;
      }
    }
  }
  return true;
}

bool HasSquares(const Image& image, double side) {
  const int count = static_cast<int>(kColours.size());
  if (side < kMinSidePx || side * count > image.width || side > image.height) return false;
  const int middle = std::max(1, static_cast<int>(side * (1 - 2 * kBorder)));
  const int top = static_cast<int>(image.height - side + side * kBorder);
  for (int i = 0; i < count; ++i) {
    const int left = static_cast<int>(image.width - side * (count - i) + side * kBorder);
    if (!HasColour(image, {left, top, middle, middle}, kColours[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<Box> FindColourSquares(const Image& image) {
  for (const double side : {static_cast<double>(image.width) / kSidesInWidth, static_cast<double>(kSidePx)}) {
    if (!HasSquares(image, side)) continue;
    const int width = static_cast<int>(side * static_cast<double>(kColours.size())),
              height = static_cast<int>(side);
    return Box{image.width - width, image.height - height, width, height};
  }
  return std::nullopt;
}

}  // namespace telltale
