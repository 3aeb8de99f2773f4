// Choosing the numbers of threads and the batch sizes of the engine.
#pragma once

#include <chrono>
#include <vector>

#include "base/fields.h"
#include "inference/device.h"

namespace telltale {

struct ThreadPlan {
  int decode = 1;     // threads that turn images from bytes into tensors
  int batchers = 0;   // threads that run batches; 0: the decode threads do, before starting another image
  int intra_op = 1;   // threads that share one run of a network
  int max_batch = 1;  // maximum rows in a run of the encoder
  int detector_max_batch = 1;
  std::chrono::microseconds max_delay{0};  // maximum time that a row waits for others to fill the batch
  std::vector<int> batch_buckets;          // empty on the CPU, where the cost per row is the same at any size
  std::vector<int> detector_buckets;
  bool cuda_graphs = false;  // a run of a bucket replays its captured graph

  // Returns the number of threads that may compute at the same time, never more than the budget.
  int total_threads() const { return decode + batchers + (intra_op - 1) * decode; }
  TELLTALE_FIELDS(decode, intra_op, batchers)
};

// Chooses the numbers of threads, `budget` >= 1 in total. Ignores `cuda_graphs` unless the device is CUDA.
ThreadPlan PlanThreads(int budget, Device device, bool cuda_graphs = false);

}  // namespace telltale
