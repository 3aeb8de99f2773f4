// Search for images placed side by side or above each other in one image, such as collages. Follows the rules
// in models/training/SPECIFICATION.md, "Embedded images".
#pragma once

#include <vector>

#include "face/face.h"
#include "image/image.h"

namespace telltale {

// Maximum embedded images judged per image, largest first. Four are enough for a grid of two by two.
inline constexpr size_t kMaxEmbeddedImages = 4;

// Returns the images of a collage, or the image inside a frame, caption or screenshot, largest first. The
// list is empty for a single image. No side of a result is shorter than `least_px`. Throws std::bad_alloc.
std::vector<Box> FindEmbeddedImages(const Image& image, int least_px);

// Returns a copy of the pixels in `box`. Requires that `box` lies inside the image.
Image CutBox(const Image& image, const Box& box);

}  // namespace telltale
