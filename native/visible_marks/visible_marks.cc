// The signs with their usual positions, and the search for them in an image.
#include "visible_marks/visible_marks.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <span>

#include "visible_marks/colour_squares.h"
#include "visible_marks/sign_template.h"

namespace telltale {
namespace {

// Range of a sign's usual positions: distance of its centre from the right and lower edges, in sign widths.
struct Layout {
  double right_min, right_max;
  double bottom_min, bottom_max;
};

struct Sign {
  const char* generator;
  const char* name;
  std::vector<Layout> layouts;
  double least_size, most_size;  // width relative to the image's shorter side
  // Minimum score of a match. All except one of 8,779 genuine images score less (docs/evidence.md), and so
  // does a pill without letters.
  float threshold;
  SignTemplate shape;  // drawn at `compared_px`
  int compared_px;     // width of the sign during comparison
};

// Ratio between two successive sizes that are tried.
constexpr double kSizeStep = 1.04;
// Maximum factor by which a small sign is enlarged for the comparison. A smaller sign cannot be recognised.
constexpr double kMaxGrowth = 2;

const std::vector<Sign>& Signs() {
  static const std::vector<Sign> signs = {
      // Gemini's star is 48 px wide and 32 or 97 px from the edges, or 96 px wide and 64 px from the edges.
      // It is smaller if the image was shrunk.
      {"Google Gemini",
       "four-pointed star",
       {{1.06, 1.28, 1.06, 1.28}, {2.4, 2.64, 2.4, 2.64}},
       0.03,
       0.1,
       0.62F,
       MakeTemplate(DrawSparkle(), 24),
       24},
      {"Google Gemini",
       "pill with ai",
       {{1.09, 1.24, 0.96, 1.1}},
       0.03,
       0.1,
       0.77F,
       MakeTemplate(DrawAiPill(), 32),
       32},
      // Grok's sign is 64 px wide, 13 to 18 px from the right edge and 15 px from the lower edge.
      {"Grok",
       "ring and name",
       {{0.66, 0.84, 0.35, 0.46}},
       0.05,
       0.14,
       0.55F,
       MakeTemplate(DrawGrok(), 60),
       60},
  };
  return signs;
}

// Returns the size of the image's corner in which the sign may lie, in widths of the sign.
cv::Size2d ReachOf(const Sign& sign) {
  cv::Size2d reach;
  for (const Layout& layout : sign.layouts) {
    reach.width = std::max(reach.width, layout.right_max + 0.5);
    reach.height = std::max(reach.height, layout.bottom_max + 0.5);
  }
  constexpr double kMargin = 0.2;
  return {reach.width + kMargin, reach.height + kMargin};
}

// The lower right corner of an image, shrunk and converted to grey.
struct Corner {
  cv::Mat grey;
  double scale = 1;  // corner pixels per image pixel
};

// Cuts the corner in which the largest version of the sign may lie. Shrinks it as far as the smallest version
// allows. The search for each size then starts from this corner.
Corner CutCorner(const Sign& sign, const Image& image) {
  const int shorter = std::min(image.width, image.height);
  const cv::Size2d reach = ReachOf(sign);
  const double most_px = sign.most_size * shorter;
  const int width = std::min(image.width, static_cast<int>(std::ceil(reach.width * most_px)));
  const int height = std::min(image.height, static_cast<int>(std::ceil(reach.height * most_px)));
  const cv::Mat rgb(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  Corner corner;
  cv::cvtColor(rgb(cv::Rect(image.width - width, image.height - height, width, height)), corner.grey,
               cv::COLOR_RGB2GRAY);
  // Shrinks less than the smallest version would allow, because shrinking twice blurs.
  constexpr double kFiner = 1.5;
  corner.scale = std::min(1.0, kFiner * sign.compared_px / (sign.least_size * shorter));
  if (corner.scale < 1) {
    cv::resize(corner.grey, corner.grey, {}, corner.scale, corner.scale, cv::INTER_AREA);
  }
  corner.grey.convertTo(corner.grey, CV_32F);
  return corner;
}

// Returns the part of `corner` in which a sign of `width` pixels may lie.
cv::Rect RegionOf(const Layout& layout, const Sign& sign, double width, const cv::Mat& corner) {
  const double half_width = 0.5 * width * sign.shape.width / sign.compared_px;
  const double half_height = 0.5 * width * sign.shape.height / sign.compared_px;
  const int left = static_cast<int>(std::floor(corner.cols - layout.right_max * width - half_width));
  const int top = static_cast<int>(std::floor(corner.rows - layout.bottom_max * width - half_height));
  const int right = static_cast<int>(std::ceil(corner.cols - layout.right_min * width + half_width));
  const int bottom = static_cast<int>(std::ceil(corner.rows - layout.bottom_min * width + half_height));
  return cv::Rect(left, top, right - left, bottom - top) & cv::Rect({}, corner.size());
}

// Returns the best match of a sign of `width` pixels in the corner. Its box is in pixels of the image.
VisibleMark Compare(const Sign& sign, const Layout& layout, double width, const Corner& corner,
                    const Image& image) {
  const double scale = sign.compared_px / width;
  const cv::Rect region = RegionOf(layout, sign, width, corner.grey);
  cv::Mat resized, dx, dy;
  const cv::Size size(std::max(1, static_cast<int>(std::lround(region.width * scale))),
                      std::max(1, static_cast<int>(std::lround(region.height * scale))));
  cv::resize(corner.grey(region), resized, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  ComputeGradient(resized, &dx, &dy);
  const Fit fit = FindBestFit(sign.shape, dx, dy);
  const auto in_image = [&](double px) { return static_cast<int>(std::lround(px / corner.scale)); };
  const double left = region.x + (fit.x + kTemplateMarginPx) / scale;
  const double top = region.y + (fit.y + kTemplateMarginPx) / scale;
  const double height = (sign.shape.height - 2 * kTemplateMarginPx) / scale;
  return {sign.generator,
          sign.name,
          fit.score,
          {image.width - in_image(corner.grey.cols - left), image.height - in_image(corner.grey.rows - top),
           in_image(width), in_image(height)}};
}

VisibleMark FindBest(const Sign& sign, const Image& image) {
  const int shorter = std::min(image.width, image.height);
  VisibleMark best{sign.generator, sign.name, -1, {}};
  if (sign.compared_px > kMaxGrowth * sign.most_size * shorter) return best;
  const Corner corner = CutCorner(sign, image);
  for (double size = sign.least_size; size <= sign.most_size; size *= kSizeStep) {
    const double width_px = size * shorter;
    if (sign.compared_px > kMaxGrowth * width_px) continue;
    for (const Layout& layout : sign.layouts) {
      const VisibleMark mark = Compare(sign, layout, width_px * corner.scale, corner, image);
      if (mark.score > best.score) best = mark;
    }
  }
  return best;
}

}  // namespace

std::vector<VisibleMark> FindVisibleMarks(const Image& image) {
  std::vector<VisibleMark> found;
  for (const Sign& sign : Signs()) {
    const VisibleMark best = FindBest(sign, image);
    if (best.score >= sign.threshold) found.push_back(best);
  }
  if (const auto box = FindColourSquares(image)) {
    found.push_back({"DALL-E 2", "five coloured squares", 1, *box});
  }
  return found;
}

}  // namespace telltale
