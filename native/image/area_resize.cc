// Shrinking an image: each pixel of the result is the mean of a rectangle of the source. Sums are taken first
// down the columns, then along the row.
//
// OpenCV works along the rows first and weights each sample by a float. In this code, the rows that lie
// completely within a row of the result have the same weight. They are summed as 16-bit integers, which
// compilers vectorise. bench/NOTES.md has the measurements.
#include "image/area_resize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "image/image.h"

namespace telltale {
namespace {

// Maximum rows of 8-bit samples whose sum fits into 16 bits.
constexpr int kMaxSummedRows = 256;
// Share of a pixel below which the pixel is ignored. Source: OpenCV's computeResizeAreaTab.
constexpr double kMinPart = 1e-3;

// Source pixels along one axis that one pixel of the result covers: a share of the pixel before `first`, the
// pixels from `first` to before `last`, and a share of `last`.
struct Cover {
  int first;
  int last;
  float before;  // weights; with `inside` for each whole pixel, they sum to 1
  float inside;
  float after;
};

std::vector<Cover> CoverAxis(int source, int target) {
  const double scale = static_cast<double>(source) / target;
  std::vector<Cover> covers(target);
  for (int i = 0; i < target; ++i) {
    const double start = i * scale;
    const double end = start + scale;
    const double length = std::min(scale, source - start);
    const int last = std::min(static_cast<int>(std::floor(end)), source - 1);
    const int first = std::min(static_cast<int>(std::ceil(start)), last);
    const double before = first - start;
    const double after = std::min({end - last, 1.0, length});
    covers[i] = {first, last, before > kMinPart ? static_cast<float>(before / length) : 0.0F,
                 static_cast<float>(1 / length),
                 after > kMinPart ? static_cast<float>(after / length) : 0.0F};
  }
  return covers;
}

// Computes the weighted sum of the source rows that one row of the result covers.
class RowSummer {
 public:
  explicit RowSummer(const cv::Mat& source)
      : source_(source), samples_(source.cols * kChannels), whole_(samples_), sums_(samples_) {}

  const float* Sum(const Cover& cover) {
    std::fill(sums_.begin(), sums_.end(), 0.0F);
    for (int first = cover.first; first < cover.last; first += kMaxSummedRows)
      AddWhole(first, std::min(first + kMaxSummedRows, cover.last), cover.inside);
    if (cover.before > 0) AddPart(cover.first - 1, cover.before);
    if (cover.after > 0) AddPart(cover.last, cover.after);
    return sums_.data();
  }

 private:
  void AddWhole(int first, int last, float weight) {
    uint16_t* whole = whole_.data();
    std::fill(whole_.begin(), whole_.end(), uint16_t{0});
    int y = first;
    // Adds four rows per pass, so that the sums are loaded and stored a quarter as often.
    for (; y + 4 <= last; y += 4) {
      const uint8_t* a = source_.ptr(y);
      const uint8_t* b = source_.ptr(y + 1);
      const uint8_t* c = source_.ptr(y + 2);
      const uint8_t* d = source_.ptr(y + 3);
      for (int i = 0; i < samples_; ++i)
        whole[i] = static_cast<uint16_t>(whole[i] + a[i] + b[i] + c[i] + d[i]);
    }
    for (; y < last; ++y) {
      const uint8_t* row = source_.ptr(y);
      for (int i = 0; i < samples_; ++i) whole[i] = static_cast<uint16_t>(whole[i] + row[i]);
    }
    float* sums = sums_.data();
    for (int i = 0; i < samples_; ++i) sums[i] += weight * static_cast<float>(whole[i]);
  }

  void AddPart(int y, float weight) {
    const uint8_t* row = source_.ptr(y);
    float* sums = sums_.data();
    for (int i = 0; i < samples_; ++i) sums[i] += weight * static_cast<float>(row[i]);
  }

  const cv::Mat& source_;
  const int samples_;
  std::vector<uint16_t> whole_;
  std::vector<float> sums_;
};

void AddPixel(const float* pixel, float weight, float* sum) {
  for (int channel = 0; channel < kChannels; ++channel) sum[channel] += weight * pixel[channel];
}

void SumColumns(const float* row, const std::vector<Cover>& covers, uint8_t* target) {
  for (const Cover& cover : covers) {
    float sum[kChannels] = {};
    for (int x = cover.first; x < cover.last; ++x) AddPixel(row + x * kChannels, cover.inside, sum);
    if (cover.before > 0) AddPixel(row + (cover.first - 1) * kChannels, cover.before, sum);
    if (cover.after > 0) AddPixel(row + cover.last * kChannels, cover.after, sum);
    for (const float value : sum) *target++ = cv::saturate_cast<uint8_t>(value);
  }
}

}  // namespace

void ResizeByArea(const cv::Mat& source, cv::Mat target) {
  const bool shrinks_both = target.cols <= source.cols && target.rows <= source.rows;
  const bool halves = target.cols * 2 == source.cols && target.rows * 2 == source.rows;
  if (!shrinks_both || halves || target.size() == source.size()) {
    // OpenCV is fast at halving, for which it has special vector instructions.
    const bool shrinks = target.cols < source.cols || target.rows < source.rows;
    cv::resize(source, target, target.size(), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
    return;
  }
  const std::vector<Cover> columns = CoverAxis(source.cols, target.cols);
  const std::vector<Cover> rows = CoverAxis(source.rows, target.rows);
  RowSummer summer(source);
  for (int y = 0; y < target.rows; ++y) SumColumns(summer.Sum(rows[y]), columns, target.ptr(y));
}

}  // namespace telltale
