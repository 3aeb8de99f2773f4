// Turning an image upright, as its EXIF orientation says.
#pragma once

#include "image/image.h"

namespace telltale {

// Applies the EXIF orientation 1..8 in one pass over the pixels. 1 to 4 work in place, and 5 to 8 need a
// second image during the call. Source: EXIF 2.32, tag 0x0112.
void MakeUpright(Image* image, int orientation);

}  // namespace telltale
