// A network that can be run, independent of the library that runs it.
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

// Outputs of one run, in the order requested from the session.
using Outputs = std::vector<Output>;

// Interface of a network, implemented by OrtSession and by fakes in tests. Run is called from many threads at
// once.
class Session {
 public:
  virtual ~Session() = default;
  // Runs every row of `batch`. Error: kInternalError. Never throws.
  virtual Result<Outputs> Run(const PixelView& batch) = 0;
};

}  // namespace telltale
