// The part of an image that looks most generated, by the rules in
// models/training/SPECIFICATION.md, "Heat map".
#pragma once

#include "engine/engine_config.h"
#include "face/face.h"
#include "views/views.h"

namespace telltale {

// The tokens of a view that say the most.
struct Peak {
  double logit = 0;  // their mean
  int column = 0;    // of the first
  int row = 0;       // of the first
};

// The side x side tokens with the highest mean, the first of equals. `tokens` [side_tokens, side_tokens], row
// by row; side <= side_tokens.
Peak FindPeak(const float* tokens, int side_tokens, int side);

// Where in an image of width x height px the peak lies, of a view that was cut at `place`.
Box LocatePeak(const Peak& peak, int side, const ViewPlace& place, int width, int height);

// Log odds that the part of an image that is drawn with this probability was generated.
double PartLogOdds(const PartModel& model, const Peak& peak, double drawn);

}  // namespace telltale
