// Computing scene hashes from the grey levels of an image, and searching an original by them.
#include "engine/scene_hash.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "engine/annotate.h"

namespace telltale {
namespace {

constexpr int kLevelsSide = 64;   // side of the square of grey levels
constexpr int kFrequencies = 16;  // on each axis
constexpr int kSceneBits = kFrequencies * kFrequencies - 1;
// Maximum share of a side that a crop may remove. The hashed middle omits this share at each end.
constexpr double kMaxCropped = 0.1;
// Number of crop sizes that are tried. With more sizes, hardly more copies are found (measured in
// docs/seen.md).
constexpr int kCropSteps = 3;
// Number of bits of a hash by which databases look up the hash (keysOf in src/accounts/seen/scene-index.ts).
// The frequencies of these bits must have a mean strength of at least kMinLevels grey levels. An image
// with a lower mean strength has too little detail to be compared.
constexpr int kKeyedBits = 72;
constexpr double kMinLevels = 0.5;
// Maximum distance from the most frequent grey level at which a level still counts as equal to it.
constexpr int kSameLevels = 3;
// Two limits for the share of the image's middle that has one grey level. From kFlatShare on, the image
// counts as flat. From kMaxFlatShare on, the image is not compared. Chosen on drawn cards of text, in which
// this share is 0.75 to 0.95 (docs/seen.md).
constexpr double kFlatShare = 0.5;
constexpr double kMaxFlatShare = 0.85;
// Minimum share of the original's sides that a copy may show, and the distance between tried positions.
constexpr double kMinShown = 0.5;
constexpr double kShownStep = 0.03;

// Grey levels of an image, averaged by area to a square of kLevelsSide x kLevelsSide for any aspect ratio.
using GreyLevels = std::array<uint8_t, size_t{kLevelsSide} * kLevelsSide>;

GreyLevels ShrinkToGrey(const Image& image) {
  Image shrunk = ShrinkToLongSide(image, kScenePx);
  const cv::Mat rgb(shrunk.height, shrunk.width, CV_8UC3, shrunk.pixels.data());
  GreyLevels levels;
  cv::Mat grey, small(kLevelsSide, kLevelsSide, CV_8UC1, levels.data());
  cv::cvtColor(rgb, grey, cv::COLOR_RGB2GRAY);
  cv::resize(grey, small, small.size(), 0, 0, cv::INTER_AREA);
  return levels;
}

// A range of an image's width or height, as shares of that side. The range is compared with the middle of
// another image. `weights` [pixel][frequency] is how much each pixel contributes to each frequency: the
// integral of the frequency's cosine over the pixel.
struct Window {
  Window(double start, double end) : start(start), end(end) {
    const auto within = [&](int pixel) {
      return std::clamp((static_cast<double>(pixel) / kLevelsSide - start) / (end - start), 0.0, 1.0);
    };
    for (int frequency = 0; frequency < kFrequencies; ++frequency) {
      const double angle = std::numbers::pi * frequency;
      const auto up_to = [&](double at) { return frequency == 0 ? at : std::sin(angle * at) / angle; };
      for (int pixel = 0; pixel < kLevelsSide; ++pixel)
        weights[pixel][frequency] = up_to(within(pixel + 1)) - up_to(within(pixel));
    }
  }

  double start;
  double end;
  std::array<std::array<double, kFrequencies>, kLevelsSide> weights;
};

Window MiddleOf(double start, double size) {
  return {start + kMaxCropped * size, start + (1 - kMaxCropped) * size};
}

// Returns the ranges of the width or height to compare with the middle of another image. `image_is_crop`:
// this image is a crop of the other one; otherwise the other image is a crop of this one.
std::vector<Window> WindowsOfCrops(bool image_is_crop) {
  std::vector<Window> windows;
  for (int step = image_is_crop ? 0 : 1; step <= kCropSteps; ++step) {
    const double crop = kMaxCropped * step / kCropSteps;
    for (int before = 0; before <= step; ++before) {
      const double start = kMaxCropped * before / kCropSteps;
      const auto place = [&](double at) {
        return image_is_crop ? (at - start) / (1 - crop) : start + at * (1 - crop);
      };
      windows.emplace_back(place(kMaxCropped), place(1 - kMaxCropped));
    }
  }
  return windows;
}

// For each row of grey levels, the frequencies of the part of the row that lies in a window.
using ProjectedRows = std::array<std::array<double, kFrequencies>, kLevelsSide>;

ProjectedRows ProjectRows(const GreyLevels& levels, const Window& columns) {
  ProjectedRows rows{};
  const uint8_t* level = levels.data();
  for (auto& row : rows) {
    for (const auto& weights : columns.weights) {
      const double grey = *level++;
      for (int u = 0; u < kFrequencies; ++u) row[u] += grey * weights[u];
    }
  }
  return rows;
}

// Frequencies of a window in both directions, row by row.
using Spectrum = std::array<double, size_t{kFrequencies} * kFrequencies>;

Spectrum ProjectColumns(const ProjectedRows& projected, const Window& rows) {
  Spectrum spectrum{};
  for (int v = 0; v < kFrequencies; ++v) {
    double* const sums = &spectrum[size_t{kFrequencies} * v];
    for (int y = 0; y < kLevelsSide; ++y) {
      const double weight = rows.weights[y][v];
      if (weight == 0) continue;  // outside the window
      for (int u = 0; u < kFrequencies; ++u) sums[u] += weight * projected[y][u];
    }
  }
  return spectrum;
}

// Returns the index of the frequency that determines each bit of a hash, lowest frequency first.
const std::array<int, kSceneBits>& BitOrder() {
  static const auto order = [] {
    std::array<int, kSceneBits> places;
    std::iota(places.begin(), places.end(), 1);
    // Frequencies with equal radii are ordered by the rounding of this formula. Stored hashes depend on the
    // order, so the formula must not change.
    const auto radius = [](int at) {
      const auto [less, more] = std::minmax({at % kFrequencies, at / kFrequencies});
      const double ratio = static_cast<double>(less) / more;
      return std::sqrt(1 + ratio * ratio) * more;
    };
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return radius(a) < radius(b); });
    return places;
  }();
  return order;
}

SceneHash HashSpectrum(const Spectrum& spectrum) {
  SceneHash hash{};
  for (int bit = 0; bit < kSceneBits; ++bit) {
    if (spectrum[BitOrder()[bit]] > 0) hash[bit / 32] |= uint32_t{1} << (bit % 32);
  }
  return hash;
}

// Calls `visit` with a hash and its two ranges, for each pair of `columns` and `rows`.
template <typename Visit>
void VisitWindows(const GreyLevels& levels, const std::vector<Window>& columns,
                  const std::vector<Window>& rows, Visit visit) {
  for (const Window& column : columns) {
    const ProjectedRows projected = ProjectRows(levels, column);
    for (const Window& row : rows) visit(HashSpectrum(ProjectColumns(projected, row)), column, row);
  }
}

// Calls `visit` for all windows: first as if this image were a crop of the other, then as if the other were a
// crop of this image. Combines each range of columns with each range of rows.
template <typename Visit>
void VisitCrops(const GreyLevels& levels, Visit visit) {
  static const std::vector<Window> of_crop = WindowsOfCrops(true), of_whole = WindowsOfCrops(false);
  for (const auto* windows : {&of_crop, &of_whole}) VisitWindows(levels, *windows, *windows, visit);
}

// Returns the ranges of the original's side that may be the middle of a copy, if the copy shows the share
// `size` of that side. Neighbouring ranges are about kShownStep apart.
std::vector<Window> MiddlesOf(double size) {
  std::vector<Window> windows;
  const auto steps = static_cast<int>(std::lround((1 - size) / kShownStep));
  for (int at = 0; at <= steps; ++at)
    windows.push_back(MiddleOf(steps == 0 ? (1 - size) / 2 : (1 - size) * at / steps, size));
  return windows;
}

// Returns the share of pixels in the image's middle that have about the most frequent grey level.
double FlatShareOf(const GreyLevels& levels) {
  constexpr int kFirst = static_cast<int>(kMaxCropped * kLevelsSide);
  constexpr int kSide = kLevelsSide - 2 * kFirst;
  std::array<int, 256 + 2 * kSameLevels> counts{};
  for (int y = kFirst; y < kFirst + kSide; ++y) {
    for (int x = kFirst; x < kFirst + kSide; ++x) ++counts[levels[size_t{kLevelsSide} * y + x] + kSameLevels];
  }
  int most = 0;
  for (auto at = counts.begin(); at + 2 * kSameLevels < counts.end(); ++at)
    most = std::max(most, std::accumulate(at, at + 2 * kSameLevels + 1, 0));
  return static_cast<double>(most) / (kSide * kSide);
}

}  // namespace

std::optional<Scene> HashScene(const Image& image) {
  static const Window middle(kMaxCropped, 1 - kMaxCropped);
  const GreyLevels levels = ShrinkToGrey(image);
  const Spectrum spectrum = ProjectColumns(ProjectRows(levels, middle), middle);
  double contrast = 0;
  for (int bit = 0; bit < kKeyedBits; ++bit) contrast += std::abs(spectrum[BitOrder()[bit]]) / kKeyedBits;
  const double flat_share = FlatShareOf(levels);
  if (contrast < kMinLevels || flat_share >= kMaxFlatShare) return std::nullopt;
  Scene scene{HashSpectrum(spectrum), {}, flat_share >= kFlatShare, ShrinkToFineLevels(image)};
  VisitCrops(levels,
             [&](const SceneHash& hash, const Window&, const Window&) { scene.windows.push_back(hash); });
  return scene;
}

SceneLocation LocateScene(const Image& original, const SceneSearch& search) {
  const GreyLevels levels = ShrinkToGrey(original);
  int least = kSceneBits;
  SceneLocation best;
  const auto visit = [&](const SceneHash& hash, const Window& column, const Window& row) {
    int different = 0;
    for (size_t word = 0; word < hash.size(); ++word)
      different += std::popcount(hash[word] ^ search.hash[word]);
    if (different >= least) return;
    least = different;
    const auto whole = [&](const Window& window) {
      const double size = (window.end - window.start) / (1 - 2 * kMaxCropped);
      return std::pair(std::max(0.0, window.start - kMaxCropped * size), std::min(1.0, size));
    };
    const auto [left, width] = whole(column);
    const auto [top, height] = whole(row);
    best = {static_cast<double>(least) / kSceneBits, {left, top, width, height}};
  };
  VisitCrops(levels, visit);
  for (double shown = 1; least > 0 && shown >= kMinShown; shown -= kShownStep)
    VisitWindows(levels, MiddlesOf(shown * std::min(1.0, search.shape)),
                 MiddlesOf(shown * std::min(1.0, 1 / search.shape)), visit);
  return best;
}

}  // namespace telltale
