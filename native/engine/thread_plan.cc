// Distribution of a thread budget on each device.
#include "engine/thread_plan.h"

#include <algorithm>

namespace telltale {
namespace {

// Rows per run on the CPU. Activations are quantised by their range over the whole batch, so a verdict would
// depend on the other images in a batch. Larger batches are also no faster (bench/NOTES.md), and they would
// not spread over idle threads.
constexpr int kCpuBatch = 1;
// Batch sizes on a GPU; a batch is padded to the next size. Chosen: a GPU gains little from larger batches.
const std::vector<int> kGpuBuckets = {1, 2, 4, 8, 16, 32};
// A single batch size: when the batch size changes, ONNX Runtime has cuDNN plan each of the detector's 59
// convolutions again (ONNX Runtime issue 23006).
const std::vector<int> kGpuDetectorBuckets = {8};
// Chosen: about the time that a GPU needs for a batch.
constexpr std::chrono::microseconds kGpuDelay{2000};
// Chosen: a third of the time of a one-row graph on an H200. Not measured in a running engine.
constexpr std::chrono::microseconds kGraphDelay{500};
// Thread count from which a second thread fills the next batch while the GPU runs the first.
constexpr int kThreadsForSecondBatcher = 8;

}  // namespace

ThreadPlan PlanThreads(int budget, Device device, bool cuda_graphs) {
  ThreadPlan plan;
  if (device == Device::kCpu) {
    // Every thread decodes and infers alone, with one thread per run: a run never waits for another core. No
    // core idles because the ratio of decoding to inference differs between image sizes.
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
