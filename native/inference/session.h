// A network that can be run, whatever runs it.
#pragma once

#include <vector>

#include "base/status.h"
#include "inference/pixel_batch.h"

namespace telltale {

// One output of a network: float [rows, row_size], row by row.
struct Output {
  size_t row_size = 0;
  std::vector<float> values;
};

// The outputs of one run, in the order in which the session was asked for them.
using Outputs = std::vector<Output>;

// Implemented by OrtSession, and by fakes in tests. Run is called from many threads at once.
class Session {
 public:
  virtual ~Session() = default;
  // Runs every row of `batch`. Error: kInternalError. Never throws.
  virtual Result<Outputs> Run(const PixelView& batch) = 0;
};

}  // namespace telltale
