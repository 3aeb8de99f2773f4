// Interface of a network, independent of the library that runs it.
#pragma once

#include <vector>

#include "base/status.h"
#include "inference/pixel_batch.h"

namespace telltale {

// One output of a network: float values [rows, row_size], row by row.
struct Output {
  size_t row_size = 0;
  std::vector<float> values;
};

// All outputs of one run, in the order in which they were requested when the network was loaded.
using Outputs = std::vector<Output>;

// A loaded network. OrtSession implements it, and tests use fakes. Many threads may call Run concurrently.
class Session {
 public:
  virtual ~Session() = default;
  // Runs the network on every row of `batch`. Error: kInternalError. Never throws.
  virtual Result<Outputs> Run(const PixelView& batch) = 0;
};

}  // namespace telltale
