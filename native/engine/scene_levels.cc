// Comparing a checked image with a known image, block by block. One may be a crop of the other, so the two
// are aligned first: coarsely, then by correlation.
#include "engine/scene_levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "engine/annotate.h"
#include "engine/scene_hash.h"

namespace telltale {
namespace {

constexpr double kMaxCropped = 0.1;
constexpr int kCropSteps = 3;
// Share of each side of the image that alignment ignores, because a crop may lack it.
constexpr double kEdge = 0.1;
// Number of points per axis that are compared during alignment: first few, then more.
constexpr int kCoarsePoints = 32;
constexpr int kFinePoints = 64;
// Steps of refining the alignment, as shares of a side. The first is half the distance of coarse positions.
constexpr std::array kRefinements{0.02, 0.01, 0.005, 0.0025, 0.00125, 0.0006};
constexpr int kMaxRounds = 4;  // per step
constexpr int kBlock = 16;     // levels on each side of a block; blocks overlap by half
// Minimum share of a block that both images must show. Other blocks are not compared.
constexpr double kMinShared = 0.6;
// Variance that noise and compression add to a block, in squared grey levels.
constexpr double kNoise = 64;

// Range of the checked image's side that shows the middle of the known image, as shares of that side.
struct Span {
  double start;
  double end;

  // Converts a position in the known image to the position in the checked image.
  double Place(double at) const { return start + (at - kEdge) * (end - start) / (1 - 2 * kEdge); }
};

std::vector<Span> CoarseSpans(bool is_crop) {
  std::vector<Span> spans;
  for (int step = is_crop ? 0 : 1; step <= kCropSteps; ++step) {
    const double crop = kMaxCropped * step / kCropSteps;
    for (int before = 0; before <= step; ++before) {
      const double start = kMaxCropped * before / kCropSteps;
      const auto place = [&](double at) {
        return is_crop ? (at - start) / (1 - crop) : start + at * (1 - crop);
      };
      spans.push_back({place(kEdge), place(1 - kEdge)});
    }
  }
  return spans;
}

// Returns the positions of `points` points in the checked image, in levels, without `edge` at both ends.
cv::Mat PlacesOf(const Span& span, int points, double edge) {
  cv::Mat places(1, points, CV_32F);
  for (int i = 0; i < points; ++i) {
    const double at = edge + (i + 0.5) / points * (1 - 2 * edge);
    places.at<float>(i) = static_cast<float>(span.Place(at) * kFineSide - 0.5);
  }
  return places;
}

cv::Mat Sample(const cv::Mat& levels, const Span& columns, const Span& rows, int points, double edge) {
  const cv::Mat x = cv::repeat(PlacesOf(columns, points, edge), points, 1);
  const cv::Mat y = cv::repeat(PlacesOf(rows, points, edge).t(), 1, points);
  cv::Mat sampled;
  cv::remap(levels, sampled, x, y, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  return sampled;
}

double Correlate(const cv::Mat& one, const cv::Mat& other) {
  const cv::Mat a = one - cv::mean(one)[0], b = other - cv::mean(other)[0];
  return a.dot(b) / std::sqrt(a.dot(a) * b.dot(b) + 1e-9);
}

struct Alignment {
  Span columns;
  Span rows;
};

// Finds the part of the checked image that shows the middle of the known image.
class Aligner {
 public:
  Aligner(const cv::Mat& known, const cv::Mat& checked) {
    cv::GaussianBlur(known, known_, {}, 1);
    cv::GaussianBlur(checked, checked_, {}, 1);
  }

  Alignment Find() const { return Refine(FindCoarse()); }

 private:
  static cv::Mat MiddleOf(const cv::Mat& known, int points) {
    const Span itself{kEdge, 1 - kEdge};
    return Sample(known, itself, itself, points, kEdge);
  }

  Alignment FindCoarse() const {
    const cv::Mat middle = MiddleOf(known_, kCoarsePoints);
    Alignment best{};
    double most = -2;
    for (const bool is_crop : {true, false}) {
      const std::vector<Span> spans = CoarseSpans(is_crop);
      for (const Span& columns : spans) {
        for (const Span& rows : spans) {
          const double found = Correlate(middle, Sample(checked_, columns, rows, kCoarsePoints, kEdge));
          if (found <= most) continue;
          most = found;
          best = {columns, rows};
        }
      }
    }
    return best;
  }

  // Moves and stretches each axis by smaller and smaller steps while that improves the correlation.
  Alignment Refine(Alignment best) const {
    const cv::Mat middle = MiddleOf(known_, kFinePoints);
    const auto value_of = [&](const Alignment& at) {
      return Correlate(middle, Sample(checked_, at.columns, at.rows, kFinePoints, kEdge));
    };
    double most = value_of(best);
    const auto improve = [&](double step) {
      bool is_better = false;
      for (const auto axis : {&Alignment::columns, &Alignment::rows}) {
        for (const auto& [start, end] : {std::pair(1, 1), std::pair(1, 0), std::pair(0, 1)}) {
          for (const double signed_step : {step, -step}) {
            Alignment tried = best;
            (tried.*axis).start += start * signed_step;
            (tried.*axis).end += end * signed_step;
            const double found = value_of(tried);
            if (found <= most + 1e-7) continue;
            most = found;
            best = tried;
            is_better = true;
          }
        }
      }
      return is_better;
    };
    for (const double step : kRefinements) {
      for (int round = 0; round < kMaxRounds && improve(step); ++round) {
      }
    }
    return best;
  }

  cv::Mat known_;
  cv::Mat checked_;
};

// Returns the range of the known image, along one axis, that the checked image shows too.
cv::Range SharedOf(const Span& span) {
  int first = kFineSide, last = 0;
  const cv::Mat places = PlacesOf(span, kFineSide, 0);
  for (int i = 0; i < kFineSide; ++i) {
    const float at = places.at<float>(i);
    if (at < 0 || at > kFineSide - 1) continue;
    first = std::min(first, i);
    last = i + 1;
  }
  return {std::min(first, last), last};
}

double SquaredDeviation(const cv::Mat& levels) {
  const cv::Mat around = levels - cv::mean(levels)[0];
  return around.dot(around);
}

double CompareBlock(const cv::Mat& known, const cv::Mat& checked) {
  const cv::Mat difference = known - checked;
  return difference.dot(difference) /
         (SquaredDeviation(known) + SquaredDeviation(checked) + kNoise * static_cast<double>(known.total()));
}

cv::Range Within(int start, const cv::Range& shared) {
  const int first = std::max(start, shared.start);
  return {first, std::max(first, std::min(start + kBlock, shared.end))};
}

}  // namespace

FineLevels ShrinkToFineLevels(const Image& image) {
  Image shrunk = ShrinkToLongSide(image, kScenePx);
  const cv::Mat rgb(shrunk.height, shrunk.width, CV_8UC3, shrunk.pixels.data());
  FineLevels levels(size_t{kFineSide} * kFineSide);
  cv::Mat grey, small(kFineSide, kFineSide, CV_8UC1, levels.data());
  cv::cvtColor(rgb, grey, cv::COLOR_RGB2GRAY);
  cv::resize(grey, small, small.size(), 0, 0, cv::INTER_AREA);
  return levels;
}

double CompareScenes(const Image& image, const SceneComparison& other) {
  FineLevels of_image = ShrinkToFineLevels(image), of_known = other.levels;
  cv::Mat checked, known;
  cv::Mat(kFineSide, kFineSide, CV_8UC1, of_image.data()).convertTo(checked, CV_32F);
  cv::Mat(kFineSide, kFineSide, CV_8UC1, of_known.data()).convertTo(known, CV_32F);
  const auto [columns, rows] = Aligner(known, checked).Find();
  const cv::Range shared_columns = SharedOf(columns), shared_rows = SharedOf(rows);
  if (shared_columns.empty() || shared_rows.empty()) return 1;
  cv::Mat aligned = Sample(checked, columns, rows, kFineSide, 0);
  // Adjusts brightness and contrast, because a copy may be brighter or have less contrast overall.
  const cv::Mat shared_known = known(shared_rows, shared_columns);
  const cv::Mat shared_checked = aligned(shared_rows, shared_columns);
  const double known_mean = cv::mean(shared_known)[0], checked_mean = cv::mean(shared_checked)[0];
  const cv::Mat known_around = shared_known - known_mean, checked_around = shared_checked - checked_mean;
  const double gain = known_around.dot(checked_around) / (checked_around.dot(checked_around) + 1e-9);
  aligned.convertTo(aligned, CV_32F, gain, known_mean - gain * checked_mean);
  cv::GaussianBlur(known, known, {}, 0.7);
  cv::GaussianBlur(aligned, aligned, {}, 0.7);
  double most = 0;
  for (int y = 0; y + kBlock <= kFineSide; y += kBlock / 2) {
    for (int x = 0; x + kBlock <= kFineSide; x += kBlock / 2) {
      const cv::Range block_rows = Within(y, shared_rows), block_columns = Within(x, shared_columns);
      if (block_rows.size() * block_columns.size() < kMinShared * kBlock * kBlock) continue;
      most =
          std::max(most, CompareBlock(known(block_rows, block_columns), aligned(block_rows, block_columns)));
    }
  }
  return most;
}

}  // namespace telltale
