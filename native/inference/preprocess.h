// Resizing images for networks, in the same way as in training.
#pragma once

#include "image/image.h"

namespace telltale {

// Resizes `image` to width x height, with rows that are `stride` bytes apart. Shrinks by averaging areas and
// enlarges bilinearly, as OpenCV does in training.
void ResizeInto(const Image& image, int width, int height, size_t stride, uint8_t* target);

}  // namespace telltale
