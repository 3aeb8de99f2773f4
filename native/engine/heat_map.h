// Heat map of an image, made from the crops that the encoder saw. Follows the rules in
// models/training/SPECIFICATION.md, "Heat map".
#pragma once

#include <vector>

#include "crops/crops.h"
#include "face/face.h"

namespace telltale {

// Side in pixels of a token, the square into which the encoder divides a crop.
inline constexpr int kTokenPx = 16;

struct HeatMapCell {
  Box box;           // in pixels of the image
  double logit = 0;  // high: this part looks generated
};

// Returns the heat map of an image of width x height px, row by row. Boxes do not overlap, and cells that the
// crops hardly cover are left out. `tokens` [places, side_tokens * side_tokens] are the crops' logits.
std::vector<HeatMapCell> MakeHeatMap(const std::vector<float>& tokens, int side_tokens,
                                     const std::vector<CropPlace>& places, int width, int height);

}  // namespace telltale
