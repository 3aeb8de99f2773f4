// Running a network in a few fixed batch sizes, in memory that never moves, as CUDA graphs require.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/worker_pool.h"
#include "inference/ort_session.h"

namespace telltale {

// A network with memory for each size in options.batch_buckets. On CUDA, a run replays a CUDA graph, the
// recorded GPU work of one size. On the CPU, it is an ordinary run. One thread does all the work, because
// ONNX Runtime ties a graph to the thread that recorded it.
class FixedBatches {
 public:
  // Records a CUDA graph for each size and compares its outputs with an ordinary run. Nothing else in the
  // process may allocate GPU memory meanwhile. `session` must outlive the object. Throws std::exception if a
  // size cannot be recorded or its outputs differ.
  FixedBatches(Ort::Session& session, const SessionOptions& options);
  ~FixedBatches();

  // Runs all rows of `batch`. Pads them with zeros to the next larger batch size. If there are more rows than
  // the largest size, runs several batches. Thread-safe. Throws std::exception.
  Outputs Run(const PixelView& batch);

 private:
  class OneSize;

  // Runs `work` on this object's thread. Returns its result or rethrows its exception.
  Outputs OnThread(std::function<Outputs()> work);

  std::vector<std::unique_ptr<OneSize>> sizes_;  // ascending
  WorkerPool thread_;
};

}  // namespace telltale
