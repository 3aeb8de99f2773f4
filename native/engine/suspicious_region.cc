// Finding the square of an image that looks most generated.
#include "engine/suspicious_region.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace telltale {
namespace {

// Converts a position on a side of the shrunken image to pixels of the original.
int Enlarge(int place, int shrunken, int length) {
  return static_cast<int>(std::clamp<int64_t>(static_cast<int64_t>(place) * length / shrunken, 0, length));
}

}  // namespace

TokenRegion FindRegion(const float* tokens, int side_tokens, int side) {
  TokenRegion region{-std::numeric_limits<double>::infinity()};
  for (int row = 0; row + side <= side_tokens; ++row) {
    for (int column = 0; column + side <= side_tokens; ++column) {
      double sum = 0;
      for (int y = row; y < row + side; ++y)
        for (int x = column; x < column + side; ++x) sum += tokens[y * side_tokens + x];
      const double mean = sum / (side * side);
      if (mean > region.logit) region = {mean, column, row};
    }
  }
  return region;
}

Box LocateRegion(const TokenRegion& region, int side, const CropPlace& place, int width, int height) {
  const int left = Enlarge(place.x + kTokenPx * region.column, place.width, width);
  const int right = Enlarge(place.x + kTokenPx * (region.column + side), place.width, width);
  const int top = Enlarge(place.y + kTokenPx * region.row, place.height, height);
  const int bottom = Enlarge(place.y + kTokenPx * (region.row + side), place.height, height);
  return {left, top, right - left, bottom - top};
}

double RegionLogOdds(const RegionModel& model, const TokenRegion& region, double drawn) {
  const auto of_domain = [&](size_t domain) {
    return model.scale[domain] * region.logit + model.offset[domain];
  };
  return (1 - drawn) * of_domain(0) + drawn * of_domain(1);
}

}  // namespace telltale
