// Tokens to the part that looks most generated.
#include "engine/part.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace telltale {
namespace {

// A place on a side of the shrunken image as a place on that side of the image.
int Enlarge(int place, int shrunken, int length) {
  return static_cast<int>(std::clamp<int64_t>(static_cast<int64_t>(place) * length / shrunken, 0, length));
}

}  // namespace

Peak FindPeak(const float* tokens, int side_tokens, int side) {
  Peak peak{-std::numeric_limits<double>::infinity()};
  for (int row = 0; row + side <= side_tokens; ++row) {
    for (int column = 0; column + side <= side_tokens; ++column) {
      double sum = 0;
      for (int y = row; y < row + side; ++y)
        for (int x = column; x < column + side; ++x) sum += tokens[y * side_tokens + x];
      const double mean = sum / (side * side);
      if (mean > peak.logit) peak = {mean, column, row};
    }
  }
  return peak;
}

Box LocatePeak(const Peak& peak, int side, const ViewPlace& place, int width, int height) {
  const int left = Enlarge(place.x + kTokenPx * peak.column, place.width, width);
  const int right = Enlarge(place.x + kTokenPx * (peak.column + side), place.width, width);
  const int top = Enlarge(place.y + kTokenPx * peak.row, place.height, height);
  const int bottom = Enlarge(place.y + kTokenPx * (peak.row + side), place.height, height);
  return {left, top, right - left, bottom - top};
}

double PartLogOdds(const PartModel& model, const Peak& peak, double drawn) {
  const auto of_medium = [&](size_t medium) {
    return model.scale[medium] * peak.logit + model.offset[medium];
  };
  return (1 - drawn) * of_medium(0) + drawn * of_medium(1);
}

}  // namespace telltale
