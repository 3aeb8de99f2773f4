// Joins the tokens of an image's views into one map, by the rules in
// models/training/SPECIFICATION.md, "Heat map".
#pragma once

#include <vector>

#include "face/face.h"
#include "views/views.h"

namespace telltale {

// Side of a token, the encoder's unit of a view, in pixels.
inline constexpr int kTokenPx = 16;

struct HeatMapCell {
  Box box;           // in pixels of the image
  double logit = 0;  // high: this part was generated
};

// The cells of an image of width x height px that the views show enough of, row by row; their boxes don't
// overlap. `tokens` [places, side_tokens * side_tokens] are the logits of each view's tokens, row by row.
std::vector<HeatMapCell> MakeHeatMap(const std::vector<float>& tokens, int side_tokens,
                                     const std::vector<ViewPlace>& places, int width, int height);

}  // namespace telltale
