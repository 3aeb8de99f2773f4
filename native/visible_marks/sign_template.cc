// Comparing a sign with an image by their gradients, which finds a pale sign on any background.
#include "visible_marks/sign_template.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace telltale {
namespace {

// Number of points per side of a pixel that are tested to measure how much of the pixel the sign covers.
constexpr int kSamples = 4;
// Blur of the sign before the comparison, because resizing slightly softens the outline of every sign.
constexpr double kSoftness = 0.6;
// Minimum gradient of a pixel that belongs to the sign's outline.
constexpr float kFaint = 0.02F;
// Constant added to the squares of the image's gradient, so that a plain background matches no sign.
constexpr float kNoise = 2;

float MeasureCoverage(const Drawing& drawing, double scale, int x, int y) {
  int covered = 0;
  for (int j = 0; j < kSamples; ++j) {
    for (int i = 0; i < kSamples; ++i) {
      covered += drawing.covers((x + (i + 0.5) / kSamples) * scale, (y + (j + 0.5) / kSamples) * scale);
    }
  }
  return static_cast<float>(covered) / (kSamples * kSamples);
}

}  // namespace

void ComputeGradient(const cv::Mat& grey, cv::Mat* dx, cv::Mat* dy) {
  constexpr double kOfSobel = 0.125;
  cv::Sobel(grey, *dx, CV_32F, 1, 0, 3, kOfSobel, 0, cv::BORDER_REPLICATE);
  cv::Sobel(grey, *dy, CV_32F, 0, 1, 3, kOfSobel, 0, cv::BORDER_REPLICATE);
}

SignTemplate MakeTemplate(const Drawing& drawing, int width_px) {
  const double scale = drawing.width / width_px;
  SignTemplate sign;
  sign.width = width_px + 2 * kTemplateMarginPx;
  sign.height = static_cast<int>(std::lround(drawing.height / scale)) + 2 * kTemplateMarginPx;
  cv::Mat coverage(sign.height, sign.width, CV_32F);
  for (int y = 0; y < sign.height; ++y) {
    for (int x = 0; x < sign.width; ++x) {
      coverage.at<float>(y, x) =
          MeasureCoverage(drawing, scale, x - kTemplateMarginPx, y - kTemplateMarginPx);
    }
  }
  cv::GaussianBlur(coverage, coverage, {}, kSoftness);
  cv::Mat dx, dy, strength, outline;
  ComputeGradient(coverage, &dx, &dy);
  cv::magnitude(dx, dy, strength);
  cv::dilate(strength > kFaint, outline, cv::Mat::ones(3, 3, CV_8U));
  const auto length = static_cast<float>(std::hypot(cv::norm(dx), cv::norm(dy)));
  for (int y = 0; y < sign.height; ++y) {
    for (int x = 0; x < sign.width; ++x) {
      if (outline.at<uint8_t>(y, x) == 0) continue;
      sign.taps.push_back({x, y, dx.at<float>(y, x) / length, dy.at<float>(y, x) / length});
    }
  }
  return sign;
}

Fit FindBestFit(const SignTemplate& sign, const cv::Mat& dx, const cv::Mat& dy) {
  const int columns = dx.cols - sign.width + 1, rows = dx.rows - sign.height + 1;
  Fit best;
  if (columns <= 0 || rows <= 0) return best;
  const cv::Mat squares = dx.mul(dx) + dy.mul(dy);
  std::vector<float> match(columns), energy(columns);
  for (int y = 0; y < rows; ++y) {
    std::fill(match.begin(), match.end(), 0.0F);
    std::fill(energy.begin(), energy.end(), kNoise);
    for (const Tap& tap : sign.taps) {
      const float* along = dx.ptr<float>(y + tap.y) + tap.x;
      const float* down = dy.ptr<float>(y + tap.y) + tap.x;
      const float* square = squares.ptr<float>(y + tap.y) + tap.x;
      for (int i = 0; i < columns; ++i) {
        match[i] += tap.dx * along[i] + tap.dy * down[i];
        energy[i] += square[i];
      }
    }
    for (int i = 0; i < columns; ++i) {
      const float score = match[i] / std::sqrt(energy[i]);
      if (score > best.score) best = {score, i, y};
    }
  }
  return best;
}

}  // namespace telltale
