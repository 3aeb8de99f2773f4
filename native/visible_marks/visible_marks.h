// Signs that generators draw on the image itself, for everybody to see.
#pragma once

#include <vector>

#include "base/fields.h"
#include "face/face.h"
#include "image/image.h"

namespace telltale {

// A sign that was found.
struct VisibleMark {
  const char* generator;  // whose sign it is; static storage
  const char* sign;       // what it looks like; static storage
  float score;            // 0..1: how well the sign fits there
  Box box;                // pixels of the upright original
  TELLTALE_FIELDS(generator, sign, box)
};

// The signs in `image`, each at most once: where their makers put them, in the sizes that occur
// (docs/evidence.md). A sign is looked for by the gradient of its outline, so that it is found on any ground
// and however pale it is. Thread-safe; looks at the lower right corner alone.
std::vector<VisibleMark> FindVisibleMarks(const Image& image);

}  // namespace telltale
