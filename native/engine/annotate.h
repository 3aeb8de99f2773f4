// Drawing the result of a check onto the image: heat map, face boxes, enlarged faces, caption.
#pragma once

#include <string>
#include <vector>

#include "base/fields.h"
#include "engine/inspection.h"
#include "image/image.h"

namespace telltale {

struct LabelledFace {
  Box box;            // in pixels of the original
  std::string label;  // ASCII
  bool alarm = false;
  TELLTALE_FIELDS(box, label, alarm)
};

struct Annotation {
  std::vector<LabelledFace> faces;
  std::vector<PatchScore> patches;  // heat map cells; empty: no heat map
  std::string caption;              // ASCII; empty: no caption
  int long_side_px = 0;             // maximum longer side of the result
  TELLTALE_FIELDS(faces, patches, caption, long_side_px)
};

// Shrinks `image` by area averaging so that its longer side is at most `long_side_px`. Never enlarges.
Image ShrinkToLongSide(const Image& image, int long_side_px);

// Returns a shrunken copy of the image with the annotation drawn on it. Up to three faces with an alarm are
// enlarged to its right. Lines and text are anti-aliased and
// outlined, so that they are readable on light and dark backgrounds. Throws cv::Exception and std::bad_alloc.
Image Draw(const Image& image, const Annotation& annotation);

}  // namespace telltale
