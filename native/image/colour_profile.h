// Embedded ICC profiles: pixels as viewers show them.
#pragma once

#include "base/cancellation.h"
#include "base/status.h"
#include "image/image.h"
#include "image/sniff.h"

namespace telltale {

// Converts decoded pixels to sRGB by the profile that the file embeds, if the profile is far from sRGB, such
// as the XYB profile of jpegli or one with swapped channels. Leaves the pixels as they are without a profile,
// or if it is near sRGB (sRGB, Display P3, Adobe RGB), not for RGB, larger than 4 MiB, or broken.
// `bytes` passed Sniff. Errors: those of `cancellation`. May throw std::bad_alloc.
Status ConvertToSrgb(Bytes bytes, ImageFormat format, const Cancellation& cancellation, Image* image);

}  // namespace telltale
