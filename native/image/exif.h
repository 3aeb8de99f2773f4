// Reading the orientation, the only EXIF field that changes how an image looks.
#pragma once

#include "image/image.h"

namespace telltale {

// EXIF tag of the orientation. Source: EXIF 2.32 and TIFF 6.0.
inline constexpr uint16_t kOrientationTag = 0x0112;

// Returns the orientation 1..8 of an EXIF block: a TIFF structure, which may start with "Exif\0\0" as in
// JPEG. Returns 1 if the block is broken, lacks the field, or has a value outside 1..8.
int ReadExifOrientation(Bytes exif);

}  // namespace telltale
