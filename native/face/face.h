// A detected face, and the limits that decide which faces are judged.
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

// Right eye, left eye, nose, right and left corner of the mouth. Right and left are the person's own.
using Landmarks = std::array<Point, 5>;

// A rectangle in whole pixels.
struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// A face, in pixels of the original image turned upright.
struct Face {
  Box box;               // clipped to the image
  Landmarks points;      // may lie outside the image
  float confidence = 0;  // 0..1
  TELLTALE_FIELDS(box, confidence)
};

// Minimum length of the shorter side of a face's box, in original pixels. Smaller faces are not judged.
// Source: the interface specification, section 8.
inline constexpr int kMinFaceSidePx = 64;

// Maximum faces judged per image, largest first. Source: the project's decisions on faces.
inline constexpr size_t kMaxScoredFaces = 8;

// Maximum detections per image that the encoder network is asked to confirm as faces: three times
// kMaxScoredFaces. A herd of animals, which looks like faces, then takes about a second on one core.
inline constexpr size_t kMaxCandidates = 24;

// Returns the detected faces that are large enough, largest first, at most kMaxCandidates.
std::vector<Face> SelectCandidates(std::vector<Face> found);

}  // namespace telltale
