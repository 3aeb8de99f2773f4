// Joining the tokens of an image's crops into one heat map, by the rules in models/training/SPECIFICATION.md,
// "Heat map".
#pragma once

#include <vector>

#include "crops/crops.h"
#include "face/face.h"

namespace telltale {

// Side in pixels of a token, the unit into which the encoder divides a crop.
inline constexpr int kTokenPx = 16;

struct HeatMapCell {
  Box box;           // in pixels of the image
  double logit = 0;  // high: this part looks generated
};

// Returns the cells of an image of width x height px that the crops cover sufficiently, row by row, with
// non-overlapping boxes. `tokens` [places, side_tokens * side_tokens] holds the logits of each crop's tokens,
// row by row.
std::vector<HeatMapCell> MakeHeatMap(const std::vector<float>& tokens, int side_tokens,
                                     const std::vector<CropPlace>& places, int width, int height);

}  // namespace telltale
