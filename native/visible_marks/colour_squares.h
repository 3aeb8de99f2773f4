// The row of five coloured squares by which DALL-E 2 signs.
#pragma once

#include <optional>

#include "face/face.h"
#include "image/image.h"

namespace telltale {

// The row in the lower right corner: squares of a 64th of the image's width, or of 16 px. Nothing if one
// of the squares is not of its colour all over.
std::optional<Box> FindColourSquares(const Image& image);

}  // namespace telltale
