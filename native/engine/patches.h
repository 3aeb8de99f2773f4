// Native-resolution patches of a picture, chosen by the rule "texture_grid" of models/training/README.md.
#pragma once

#include <vector>

#include "face/face.h"
#include "image/image.h"

namespace telltale {

// `image` with every side shorter than `size_px` padded, right or bottom, to `size_px` by reflection without
// repeating the edge.
Image PadToSize(const Image& image, int size_px);

// Where to cut at most `max_patches` patches of size_px x size_px, row by row: from each cell of a grid of
// about the picture's aspect the candidate with the most texture. No side of `image` is shorter than
// `size_px`.
std::vector<Box> SelectPatches(const Image& image, int size_px, int max_patches);

// Writes the pixels of `box`, which lies within `image`, to `patch`, uint8 [height, width, 3].
void CopyPatch(const Image& image, const Box& box, uint8_t* patch);

}  // namespace telltale
