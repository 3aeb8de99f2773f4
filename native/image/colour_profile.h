// Converting decoded pixels to sRGB, so that the detectors see the colours that viewers show.
#pragma once

#include "base/cancellation.h"
#include "base/status.h"
#include "image/image.h"
#include "image/sniff.h"

namespace telltale {

// Converts pixels to sRGB if the file describes colours far from sRGB: the XYB profile of jpegli, swapped
// channels, PQ, HLG. Keeps the pixels if the file has no description, or one near sRGB (Display P3, Adobe
// RGB), for grey or CMYK, damaged, or larger than kMaxProfileBytes. `bytes` must have passed Sniff. Needs at
// most 15.5 MB of memory. Errors: as Cancellation::Check. May throw only std::bad_alloc.
Status ConvertToSrgb(Bytes bytes, ImageFormat format, const Cancellation& cancellation, Image* image);

}  // namespace telltale
