// Choosing the numbers of threads and the batch sizes for a device.
#include "engine/thread_plan.h"

#include <algorithm>

namespace telltale {
namespace {

// Maximum images per run of a network on the CPU. Activations are quantised by their range over the whole
// batch, so in larger batches a verdict would depend on the other images. Larger batches are also no faster
// (bench/NOTES.md) and leave threads idle.
constexpr int kCpuBatch = 1;
// Batch sizes on a GPU. A batch is padded to the next size. Larger batches are left out because a GPU gains
// little from them.
const std::vector<int> kGpuBuckets = {1, 2, 4, 8, 16, 32};
// Batch size of the face detector on a GPU. There is only one, because ONNX Runtime has cuDNN plan each of
// the detector's 59 convolutions again when the batch size changes (ONNX Runtime issue 23006).
const std::vector<int> kGpuDetectorBuckets = {8};
// Maximum time that a crop waits for a full batch: about the time that a GPU needs for a batch.
constexpr std::chrono::microseconds kGpuDelay{2000};
// Maximum wait with CUDA graphs. Chosen, not measured: a third of the time for one crop on an H200.
constexpr std::chrono::microseconds kGraphDelay{500};
// Minimum threads for two of them to run batches: one fills a batch while the GPU runs the other's.
constexpr int kThreadsForSecondBatcher = 8;

}  // namespace

ThreadPlan PlanThreads(int budget, Device device, bool cuda_graphs) {
  ThreadPlan plan;
  if (device == Device::kCpu) {
    // On the CPU, each thread decodes and runs networks itself, one thread per run, so that no run waits for
    // another core, and no core is idle if images need more of one kind of work.
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
