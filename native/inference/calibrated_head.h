// A column of the encoder's logits, calibrated as a probability.
#pragma once

#include "base/fields.h"

namespace telltale {

// Probability = sigmoid(scale * logit + offset) of the logit in `column`.
struct CalibratedHead {
  int column = 0;
  double scale = 1;
  double offset = 0;
  TELLTALE_FIELDS(column, scale, offset)
};

}  // namespace telltale
