// The first frame of an animated PNG whose default image is not part of the animation.
#pragma once

#include <optional>
#include <vector>

#include "image/image.h"

namespace telltale {

// A frame as a PNG of its own, and where it lies on the canvas, in pixels.
struct ApngFrame {
  std::vector<uint8_t> png;
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Nothing if the default image is the first frame, or the file no animation. Viewers that animate never show
// such a default image, so that it could hide what they show. Copies at most the file; checksums that are
// wrong stay wrong. `bytes` passed Sniff. Source: PNG third edition, section 11.3.6.
std::optional<ApngFrame> ReadFirstApngFrame(Bytes bytes);

}  // namespace telltale
