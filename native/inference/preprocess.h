// Image to tensor: the resampling that training and engine share.
#pragma once

#include "image/image.h"

namespace telltale {

// Resizes `image` to width x height at `target`, whose rows are `stride` bytes apart. Shrinking goes by area
// and growing is bilinear, as the training's OpenCV does.
void ResizeInto(const Image& image, int width, int height, size_t stride, uint8_t* target);

}  // namespace telltale
