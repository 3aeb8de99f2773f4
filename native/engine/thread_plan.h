// The one place where threads and batch sizes are chosen.
#pragma once

#include <chrono>
#include <vector>

#include "base/fields.h"
#include "inference/device.h"

namespace telltale {

// Threads, and rows of a run.
struct ThreadPlan {
  int decode = 1;     // take an image from bytes to tensors
  int batchers = 0;   // run batches; 0: the decode threads do, before they begin the next image
  int intra_op = 1;   // share one run of a network
  int max_batch = 1;  // rows of a run of the encoder
  int detector_max_batch = 1;
  std::chrono::microseconds max_delay{0};  // how long a row waits for company
  std::vector<int> batch_buckets;          // empty on the CPU: any size runs at the same cost a row
  std::vector<int> detector_buckets;
  bool cuda_graphs = false;  // a run of a bucket replays what was captured of it

  // Threads that may compute at the same time; never more than the budget.
  int total_threads() const { return decode + batchers + (intra_op - 1) * decode; }
  TELLTALE_FIELDS(decode, intra_op, batchers)
};

// `budget` >= 1: threads that all pools share. `cuda_graphs`: wanted, where the device is CUDA.
ThreadPlan PlanThreads(int budget, Device device, bool cuda_graphs = false);

}  // namespace telltale
