// The row of five coloured squares that DALL-E 2 puts on its images.
#pragma once

#include <optional>

#include "face/face.h"
#include "image/image.h"

namespace telltale {

// Returns the position of the squares in the lower right corner. Each square measures 1/64 of the image's
// width, or 16 px. Returns nullopt if the middle of any square has another colour.
std::optional<Box> FindColourSquares(const Image& image);

}  // namespace telltale
