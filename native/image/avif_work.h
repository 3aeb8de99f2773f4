// How much libavif would do for the pixels of an AVIF file, summed up before it does.
#pragma once

#include "image/byte_reader.h"

namespace telltale {

// libavif decodes the streams of a picture, its alpha and its tiles in one go and scales each to the size
// that its item has. Whether their frames are within Av1Work's limits, and the sizes of all items together
// within its pixels: those of a picture of 100 megapixels, its tiles and its alpha. Every item counts,
// whatever its type is said to be, and of each track the first sample. The boxes are within AvifCounts.
bool IsAvifWorkBearable(Bytes file);

}  // namespace telltale
