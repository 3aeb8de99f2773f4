// The colours that an image mostly has, without where they are: what tells it from others where it is not
// kept.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "image/image.h"

namespace telltale {

using Colour = std::array<uint8_t, 3>;  // red, green, blue

// At most four, the most frequent one first, at least one; `image` is not empty. They are of a coarse grid of
// pixels.
std::vector<Colour> FindColours(const Image& image);

}  // namespace telltale
