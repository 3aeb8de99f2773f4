// The suspicious region: the square of an image that looks most generated. Follows the rules in
// models/training/SPECIFICATION.md, "Heat map".
#pragma once

#include "crops/crops.h"
#include "engine/engine_config.h"
#include "face/face.h"

namespace telltale {

// The square of tokens with the highest mean logit in a crop. A token is a small square of the crop (see
// kTokenPx).
struct TokenRegion {
  double logit = 0;  // mean of the tokens
  int column = 0;    // column of the leftmost token
  int row = 0;       // row of the topmost token
};

// Returns the square of side x side tokens with the highest mean, the first one if several are equal.
// `tokens` [side_tokens, side_tokens] are the logits of a crop, row by row. Requires side <= side_tokens.
TokenRegion FindRegion(const float* tokens, int side_tokens, int side);

// Returns the region's box in pixels of the image. `place` is the position of the region's crop.
Box LocateRegion(const TokenRegion& region, int side, const CropPlace& place, int width, int height);

// Returns the log odds that the region was generated. `drawn` is the probability that the image is drawn.
double RegionLogOdds(const RegionModel& model, const TokenRegion& region, double drawn);

}  // namespace telltale
