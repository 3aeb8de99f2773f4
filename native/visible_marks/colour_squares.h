// The row of five coloured squares that DALL-E 2 puts on its images.
#pragma once

#include <optional>

#include "face/face.h"
#include "image/image.h"

namespace telltale {

// Returns the row in the lower right corner, with squares of 1/64 of the image's width or of 16 px. Returns
// nullopt if the middle of a square is not uniformly in its colour.
std::optional<Box> FindColourSquares(const Image& image);

}  // namespace telltale
