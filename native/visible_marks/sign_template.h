// A sign made ready for comparing: the gradient of its coverage, tap by tap.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "visible_marks/drawing.h"

namespace telltale {

// One pixel at or beside the sign's outline.
struct Tap {
  int x = 0, y = 0;      // from the template's upper left corner
  float dx = 0, dy = 0;  // gradient of the coverage, of unit length over all taps
};

struct SignTemplate {
  int width = 0;  // pixels, with the margin around the sign
  int height = 0;
  std::vector<Tap> taps;
};

// Pixels around the sign in its template.
inline constexpr int kTemplateMarginPx = 3;

// The sign drawn `width_px` wide.
SignTemplate MakeTemplate(const Drawing& drawing, int width_px);

// Gradient of an image of one float channel, in the same measure as a template's.
void ComputeGradient(const cv::Mat& grey, cv::Mat* dx, cv::Mat* dy);

// Where a sign fits best, and how well.
struct Fit {
  float score = -1;  // -1..1: correlation of the two gradients at the taps
  int x = 0, y = 0;  // of the template's upper left corner
};

// The best of all places in the gradient of an image; a score of -1 if the template is larger than it.
Fit FindBestFit(const SignTemplate& sign, const cv::Mat& dx, const cv::Mat& dy);

}  // namespace telltale
