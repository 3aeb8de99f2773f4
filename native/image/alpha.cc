// Converting RGBA pixels to RGB in place, from the first pixel to the last.
#include "image/alpha.h"

#include <algorithm>

namespace telltale {
namespace {

template <typename Blend>
void Flatten(Image* image, Blend blend) {
  const size_t count = static_cast<size_t>(image->width) * image->height;
  const uint8_t* from = image->pixels.data();
  uint8_t* to = image->pixels.data();
  for (size_t i = 0; i < count; ++i, from += 4, to += 3) {
    const unsigned alpha = from[3];
    const uint8_t red = blend(from[0], alpha), green = blend(from[1], alpha), blue = blend(from[2], alpha);
    to[0] = red;
    to[1] = green;
    to[2] = blue;
  }
  image->pixels.resize(count * 3);
}

void KeepHiddenColours(Image* image) {
  DropFourthSample(image);
  image->is_transparent = true;
}

}  // namespace

bool HasNoAlpha(const Image& rgba) {
  const size_t count = static_cast<size_t>(rgba.width) * rgba.height;
  const uint8_t* alpha = rgba.pixels.data() + 3;
  for (size_t i = 0; i < count; ++i) {
    if (alpha[4 * i] != 0) return false;
  }
  return true;
}

void FlattenOverWhite(Image* image) {
  if (HasNoAlpha(*image)) return KeepHiddenColours(image);
  Flatten(image, [](unsigned colour, unsigned alpha) {
    const unsigned sum = colour * alpha + 255 * (255 - alpha) + 128;
    return static_cast<uint8_t>((sum + (sum >> 8)) >> 8);  // sum / 255, exact for 16 bits
  });
}

void FlattenPremultipliedOverWhite(Image* image) {
  if (HasNoAlpha(*image)) return KeepHiddenColours(image);
  Flatten(image, [](unsigned colour, unsigned alpha) {
    return static_cast<uint8_t>(std::min(colour + 255 - alpha, 255u));
  });
}

void DropFourthSample(Image* image) {
  Flatten(image, [](unsigned colour, unsigned) { return static_cast<uint8_t>(colour); });
}

}  // namespace telltale
