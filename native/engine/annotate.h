// Draws a verdict onto an image: heat map, face boxes, caption.
#pragma once

#include <string>
#include <vector>

#include "base/fields.h"
#include "engine/inspection.h"
#include "image/image.h"

namespace telltale {

struct LabelledFace {
  Box box;            // pixels of the original
  std::string label;  // ASCII
  bool alarm = false;
  TELLTALE_FIELDS(box, label, alarm)
};

// What to draw.
struct Annotation {
  std::vector<LabelledFace> faces;
  std::vector<PatchScore> patches;  // empty: no heat map
  std::string caption;              // ASCII; empty: none
  int long_side_px = 0;             // of the result, at most
  TELLTALE_FIELDS(faces, patches, caption, long_side_px)
};

// `image` shrunk, by area, so that its longer side is at most `long_side_px`; never enlarged.
Image ShrinkToLongSide(const Image& image, int long_side_px);

// The image, shrunk, with everything of `annotation` on it. Lines and letters are anti-aliased and edged,
// so that they read on light and dark ground. Throws cv::Exception and std::bad_alloc.
Image Draw(const Image& image, const Annotation& annotation);

}  // namespace telltale
