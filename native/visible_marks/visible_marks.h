// Visible signs that image generators draw on their images.
#pragma once

#include <vector>

#include "base/fields.h"
#include "face/face.h"
#include "image/image.h"

namespace telltale {

// A sign that was found in an image.
struct VisibleMark {
  const char* generator;  // generator that uses the sign; static storage
  const char* sign;       // description of the sign; static storage
  float score;            // 0..1: quality of the match
  Box box;                // pixels of the upright original
  TELLTALE_FIELDS(generator, sign, box)
};

// Returns the signs in `image`, each at most once, at the positions and sizes that generators use
// (docs/evidence.md). Compares the gradient of a sign's outline, so the sign is found on any background and
// however pale it is. Searches only the lower right corner. Thread-safe.
std::vector<VisibleMark> FindVisibleMarks(const Image& image);

}  // namespace telltale
