// Heat map of an image, made from the crops that the encoder saw. Follows the rules in
// models/training/SPECIFICATION.md, "Heat map".
#pragma once

#include <vector>

#include "crops/crops.h"
#include "face/face.h"

namespace telltale {

// Side in pixels of a token. The encoder divides each crop into a grid of tokens, and returns one logit per
// token.
inline constexpr int kTokenPx = 16;

struct HeatMapCell {
  Box box;           // in pixels of the image
  double logit = 0;  // high: this part looks generated
};

// Returns the heat map of an image of width x height px: cells row by row, which do not overlap. Leaves out
// cells that the crops hardly cover. `tokens` [crops, side_tokens * side_tokens] are the logits of the
// crops' tokens, and `places` the positions of the crops.
std::vector<HeatMapCell> MakeHeatMap(const std::vector<float>& tokens, int side_tokens,
                                     const std::vector<CropPlace>& places, int width, int height);

}  // namespace telltale
