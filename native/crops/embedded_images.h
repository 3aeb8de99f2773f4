// Images that stand beside or above each other in one, by the rules in
// models/training/SPECIFICATION.md, "Embedded images".
#pragma once

#include <vector>

#include "face/face.h"
#include "image/image.h"

namespace telltale {

// At most so many embedded images of an image are judged, the largest. Chosen: a grid of two by two.
inline constexpr size_t kMaxEmbeddedImages = 4;

// The embedded images of a collage, or what a frame, a caption or a screen's bars surround, largest first:
// none of an image that is one. No side of an embedded image is shorter than `least_px`. Throws
// std::bad_alloc.
std::vector<Box> FindEmbeddedImages(const Image& image, int least_px);

// A copy of what lies in `box`, which lies in the image.
Image CutBox(const Image& image, const Box& box);

}  // namespace telltale
