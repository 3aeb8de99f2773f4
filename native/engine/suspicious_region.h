// The region of an image that looks most generated, by the rules in
// models/training/SPECIFICATION.md, "Heat map".
#pragma once

#include "crops/crops.h"
#include "engine/engine_config.h"
#include "face/face.h"

namespace telltale {

// The tokens of a crop that say the most.
struct TokenRegion {
  double logit = 0;  // their mean
  int column = 0;    // of the first
  int row = 0;       // of the first
};

// The side x side tokens with the highest mean, the first of equals. `tokens` [side_tokens, side_tokens], row
// by row; side <= side_tokens.
TokenRegion FindRegion(const float* tokens, int side_tokens, int side);

// Where in an image of width x height px the region lies, of a crop that was cut at `place`.
Box LocateRegion(const TokenRegion& region, int side, const CropPlace& place, int width, int height);

// Log odds that the region of an image that is drawn with this probability was generated.
double RegionLogOdds(const RegionModel& model, const TokenRegion& region, double drawn);

}  // namespace telltale
