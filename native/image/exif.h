// The one EXIF field that changes pixels: orientation.
#pragma once

#include "image/image.h"

namespace telltale {

// Source: EXIF 2.32 and TIFF 6.0.
inline constexpr uint16_t kOrientationTag = 0x0112;

// Orientation 1..8 of an EXIF block (a TIFF structure, with or without the leading "Exif\0\0" of
// JPEG). 1 if the block is broken, has no such field, or names a value outside 1..8.
int ReadExifOrientation(Bytes exif);

}  // namespace telltale
