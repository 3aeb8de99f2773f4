// Image to tensor: the resampling shared by training and engine.
#pragma once

#include "image/image.h"

namespace telltale {

// Resizes `image` to width x height at `target`, whose rows are `stride` bytes apart. Shrinks by area and
// enlarges bilinearly, as OpenCV does in training.
void ResizeInto(const Image& image, int width, int height, size_t stride, uint8_t* target);

}  // namespace telltale
