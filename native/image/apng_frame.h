// The first frame of an animated PNG whose default image is not part of the animation.
#pragma once

#include <optional>
#include <vector>

#include "image/image.h"

namespace telltale {

// A frame as a separate PNG, and its position on the canvas in pixels.
struct ApngFrame {
  std::vector<uint8_t> png;
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Returns the first frame if it is not the default image. Returns nullopt if it is, or if the file is not
// animated. Viewers that animate never show such a default image, so it could hide the content that they do
// show. Copies at most the file; wrong checksums stay wrong. Requires that `bytes` passed Sniff. Source: PNG
// third edition, section 11.3.6.
std::optional<ApngFrame> ReadFirstApngFrame(Bytes bytes);

}  // namespace telltale
