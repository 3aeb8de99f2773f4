// Joins the tokens of an image's crops into one map, by the rules in
// models/training/SPECIFICATION.md, "Heat map".
#pragma once

#include <vector>

#include "crops/crops.h"
#include "face/face.h"

namespace telltale {

// Side of a token, the encoder's unit of a crop, in pixels.
inline constexpr int kTokenPx = 16;

struct HeatMapCell {
  Box box;           // in pixels of the image
  double logit = 0;  // high: this part was generated
};

// The cells of an image of width x height px that the crops show enough of, row by row; their boxes don't
// overlap. `tokens` [places, side_tokens * side_tokens] are the logits of each crop's tokens, row by row.
std::vector<HeatMapCell> MakeHeatMap(const std::vector<float>& tokens, int side_tokens,
                                     const std::vector<CropPlace>& places, int width, int height);

}  // namespace telltale
