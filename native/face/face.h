// A found face and the rules on which faces count.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/fields.h"

namespace telltale {

struct Point {
  double x = 0;
  double y = 0;
};

// Right eye, left eye, nose, right and left corner of the mouth, as the person has them.
using Landmarks = std::array<Point, 5>;

// A rectangle in whole pixels.
struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// Pixels of the upright original.
struct Face {
  Box box;               // clipped to the image
  Landmarks points;      // may lie outside of it
  float confidence = 0;  // 0..1
  TELLTALE_FIELDS(box, confidence)
};

// A face counts from this length of the shorter side of its box, in original pixels. Source: the interface
// specification, section 8.
inline constexpr int kMinFaceSidePx = 64;

// At most this many are scored, the largest first. Source: the project's decisions on faces.
inline constexpr size_t kMaxScoredFaces = 8;

// At most this many candidates of an image are shown to the encoder, however many of them turn out to be no
// faces. Chosen: three times as many as are scored, a second or so on one core for a herd of animals.
inline constexpr size_t kMaxCandidates = 24;

// The candidates that may be scored: those that count, by falling area, at most kMaxCandidates.
std::vector<Face> SelectCandidates(std::vector<Face> found);

}  // namespace telltale
