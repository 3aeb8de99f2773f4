// A sign prepared for comparison with images, as the gradient at each pixel of its outline.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "visible_marks/drawing.h"

namespace telltale {

// A pixel of the sign's outline, or next to the outline.
struct Tap {
  int x = 0, y = 0;      // from the template's upper left corner
  float dx = 0, dy = 0;  // gradient of the coverage, normalised to unit length over all taps
};

struct SignTemplate {
  int width = 0;  // pixels, including the margin around the sign
  int height = 0;
  std::vector<Tap> taps;
};

// Margin in pixels around the sign in its template.
inline constexpr int kTemplateMarginPx = 3;

// Prepares a sign, drawn `width_px` pixels wide.
SignTemplate MakeTemplate(const Drawing& drawing, int width_px);

// Computes the gradient of a grey image (one float channel), in the same unit as in SignTemplate.
void ComputeGradient(const cv::Mat& grey, cv::Mat* dx, cv::Mat* dy);

// Position at which a sign fits best, and how well it fits.
struct Fit {
  float score = -1;  // -1..1: correlation of the two gradients at the taps
  int x = 0, y = 0;  // of the template's upper left corner
};

// Returns the best fit over all positions in an image, which is given by its gradient. The score is -1 if the
// sign is larger than the image.
Fit FindBestFit(const SignTemplate& sign, const cv::Mat& dx, const cv::Mat& dy);

}  // namespace telltale
