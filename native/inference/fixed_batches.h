// Runs in batches of a few fixed sizes, in buffers that never move, as CUDA graphs require.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/worker_pool.h"
#include "inference/ort_session.h"

namespace telltale {

// A network at the sizes of options.batch_buckets, with input and output buffers for each. On CUDA, a run of
// a size replays its captured graph; on the CPU, it is an ordinary run. One thread does all the work, because
// ONNX Runtime ties captured graphs to the thread that captured them.
class FixedBatches {
 public:
  // Captures every size and compares its outputs with an ordinary run. Nothing else in the process may
  // allocate GPU memory meanwhile. `session` must outlive the object. Throws std::exception if a size cannot
  // be captured or its outputs differ.
  FixedBatches(Ort::Session& session, const SessionOptions& options);
  ~FixedBatches();

  // Runs all rows. Pads with zeros to the next size; rows beyond the largest size follow in another run.
  // Thread-safe. Throws std::exception.
  Outputs Run(const PixelView& batch);

 private:
  class OneSize;

  // Runs `work` on the thread and returns its result or rethrows its exception.
  Outputs OnThread(std::function<Outputs()> work);

  std::vector<std::unique_ptr<OneSize>> sizes_;  // ascending
  WorkerPool thread_;
};

}  // namespace telltale
