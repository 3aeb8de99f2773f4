// The dominant colours of an image. They help people recognise an image in lists when its pixels are not
// kept.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "image/image.h"

namespace telltale {

using Colour = std::array<uint8_t, 3>;  // red, green, blue

// Returns one to four dominant colours of a coarse grid of pixels, most frequent first. Requires a non-empty
// image.
std::vector<Colour> FindColours(const Image& image);

}  // namespace telltale
