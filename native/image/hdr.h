// Showing HDR images (PQ, HLG) on a display without HDR.
#pragma once

#include "base/cancellation.h"
#include "base/status.h"
#include "image/image.h"

namespace telltale {

// Transfer function and primaries of an HDR image, by their code points in ITU-T H.273.
struct HdrSpace {
  static constexpr int kPq = 16, kHlg = 18;

  int transfer = kPq;
  int primaries = 9;  // BT.2020; P3 is 12, and others count as sRGB
};

// Converts pixels from `space` to sRGB as Chromium shows them: a page's white (203 cd/m²) gets half of the
// display's light, and 1,000 cd/m² all of it. Stops at a row when `cancellation` is over. Errors: as
// Cancellation::Check. May throw only std::bad_alloc.
Status ConvertHdrToSrgb(const HdrSpace& space, const Cancellation& cancellation, Image* image);

}  // namespace telltale
