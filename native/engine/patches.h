// Native-resolution patches of a picture.
#pragma once

#include <vector>

#include "face/face.h"
#include "image/image.h"

namespace telltale {

// Where to cut at most `max_patches` patches of size_px x size_px, in pixels of the picture. On a side
// shorter than size_px the box ends at the picture's edge. The rule is that of models/training/README.md,
// "Patch selection".
std::vector<Box> SelectPatches(const Image& image, int size_px, int max_patches);

// Writes the pixels from the upper left corner of `box` on to `patch`, uint8 [size_px, size_px, 3]; beyond
// the picture's edge they are its reflection.
void CopyPatch(const Image& image, const Box& box, int size_px, uint8_t* patch);

}  // namespace telltale
