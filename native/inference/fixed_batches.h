// Runs in batches of a few fixed sizes, in buffers that never move: what CUDA graphs need.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/worker_pool.h"
#include "inference/ort_session.h"

namespace telltale {

// A network at the sizes of options.batch_buckets, each with buffers of its own for its input and outputs. On
// CUDA a run of a size replays the graph that was captured of it; on the CPU it is an ordinary run. One
// thread does all of it: ONNX Runtime keeps captured graphs for the thread that captured them.
class FixedBatches {
 public:
  // Captures every size and compares what it gives with an ordinary run. Meanwhile nothing else in the
  // process may allocate memory on the GPU. `session` must outlive it. Throws std::exception where a size
  // can't be captured, or its outputs differ.
  FixedBatches(Ort::Session& session, const SessionOptions& options);
  ~FixedBatches();

  // Rows are padded with zeros to the next size; those beyond the largest follow in another run. Thread-safe.
  // Throws std::exception.
  Outputs Run(const PixelView& batch);

 private:
  class OneSize;

  // What `work` gives or throws, once it ran on the thread.
  Outputs OnThread(std::function<Outputs()> work);

  std::vector<std::unique_ptr<OneSize>> sizes_;  // ascending
  WorkerPool thread_;
};

}  // namespace telltale
