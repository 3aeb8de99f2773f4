// The region of an image that looks most generated, by the rules in models/training/SPECIFICATION.md, "Heat
// map".
#pragma once

#include "crops/crops.h"
#include "engine/engine_config.h"
#include "face/face.h"

namespace telltale {

// The square of a crop's tokens with the highest mean.
struct TokenRegion {
  double logit = 0;  // mean of the tokens
  int column = 0;    // column of the leftmost token
  int row = 0;       // row of the topmost token
};

// Returns the side x side tokens with the highest mean; the first of equals. `tokens` [side_tokens,
// side_tokens], row by row. Requires side <= side_tokens.
TokenRegion FindRegion(const float* tokens, int side_tokens, int side);

// Returns the region's box in an image of width x height px, for a crop cut at `place`.
Box LocateRegion(const TokenRegion& region, int side, const CropPlace& place, int width, int height);

// Returns the log odds that the region was generated, for an image drawn with probability `drawn`.
double RegionLogOdds(const RegionModel& model, const TokenRegion& region, double drawn);

}  // namespace telltale
