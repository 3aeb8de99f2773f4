// How a budget of threads is spent on each device.
#include "engine/thread_plan.h"

#include <algorithm>

namespace telltale {
namespace {

// Activations are quantised by their own range: in a batch a verdict would depend on its neighbours. And more
// rows are no faster (bench/NOTES.md), but would not spread over idle threads.
constexpr int kCpuBatch = 1;
// Chosen: a GPU gains little beyond this, and a batch is padded to the next of these sizes.
const std::vector<int> kGpuBuckets = {1, 2, 4, 8, 16, 32};
// One size alone: ONNX Runtime has cuDNN plan each of the detector's 59 convolutions anew whenever the size
// of a batch changes (its issue 23006).
const std::vector<int> kGpuDetectorBuckets = {8};
// Chosen: about the time that a GPU takes for a batch.
constexpr std::chrono::microseconds kGpuDelay{2000};
// Chosen: a third of what a graph of one row took on an H200; not tried in an engine.
constexpr std::chrono::microseconds kGraphDelay{500};
// From here on a second thread fills the next batch while the GPU runs the first.
constexpr int kThreadsForSecondBatcher = 8;

}  // namespace

ThreadPlan PlanThreads(int budget, Device device, bool cuda_graphs) {
  ThreadPlan plan;
  if (device == Device::kCpu) {
    // Every thread decodes and infers by itself, one thread a run: nothing waits for another core within a
    // run. No core idles because the split between decoding and inference fits another image size.
    plan.decode = budget;
    plan.max_batch = kCpuBatch;
    return plan;
  }
  plan.batchers = std::min(budget - 1, budget >= kThreadsForSecondBatcher ? 2 : 1);
  plan.decode = budget - plan.batchers;
  plan.batch_buckets = kGpuBuckets;
  plan.detector_buckets = kGpuDetectorBuckets;
  plan.max_batch = kGpuBuckets.back();
  plan.detector_max_batch = kGpuDetectorBuckets.back();
  plan.cuda_graphs = cuda_graphs && device == Device::kCuda;
  plan.max_delay = plan.cuda_graphs ? kGraphDelay : kGpuDelay;
  return plan;
}

}  // namespace telltale
