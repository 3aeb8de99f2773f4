// First frame of an animated PNG, for files whose default image is not part of the animation.
#pragma once

#include <optional>
#include <vector>

#include "image/image.h"

namespace telltale {

// A frame as a PNG file, and its position on the canvas in pixels.
struct ApngFrame {
  std::vector<uint8_t> png;
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Returns the first frame that viewers show, for files in which this is not the default image. Viewers that
// support animation never show such a default image, which could therefore hide the visible content. Returns
// nullopt for other files. Wrong checksums stay wrong. Copies at most the whole file. Requires that `bytes`
// passed Sniff. Source: PNG third edition, section 11.3.6.
std::optional<ApngFrame> ReadFirstApngFrame(Bytes bytes);

}  // namespace telltale
