// A column of the encoder's output, with the numbers that turn its logit into a probability.
#pragma once

#include "base/fields.h"

namespace telltale {

// Probability = sigmoid(scale * logit + offset), for the logit in `column`.
struct CalibratedHead {
  int column = 0;
  double scale = 1;
  double offset = 0;
  TELLTALE_FIELDS(column, scale, offset)
};

}  // namespace telltale
