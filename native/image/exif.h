// The one EXIF field that changes pixels: orientation.
#pragma once

#include "image/image.h"

namespace telltale {

// Orientation 1..8 of an EXIF block (a TIFF structure, with or without the leading "Exif\0\0" of
// JPEG). 1 if the block is broken, has no such field, or names a value outside 1..8.
// Source: EXIF 2.32, tag 0x0112.
int ReadExifOrientation(Bytes exif);

}  // namespace telltale
