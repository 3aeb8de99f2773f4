// Tests that the engine never uses more threads than its budget.
#include "engine/thread_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace telltale {
namespace {

TEST(ThreadPlanTest, KeepsToTheBudgetOnEveryDevice) {
  for (const Device device : {Device::kCpu, Device::kCuda, Device::kTensorRt}) {
    for (int budget = 1; budget <= 128; ++budget) {
      const ThreadPlan plan = PlanThreads(budget, device);
      EXPECT_LE(plan.total_threads(), budget) << DeviceName(device);
      EXPECT_GE(plan.decode, 1) << DeviceName(device);
      EXPECT_GE(plan.intra_op, 1) << DeviceName(device);
    }
  }
}

TEST(ThreadPlanTest, TheCpuUsesEveryThreadForAImageOfItsOwn) {
  const ThreadPlan plan = PlanThreads(6, Device::kCpu);
  EXPECT_EQ(plan.decode, 6);
  EXPECT_EQ(plan.batchers, 0);
  EXPECT_EQ(plan.max_delay.count(), 0);
}

TEST(ThreadPlanTest, AGpuRunsOnlyBatchesThatWereWarmedUp) {
  const ThreadPlan plan = PlanThreads(16, Device::kTensorRt);
  EXPECT_EQ(plan.batch_buckets.back(), plan.max_batch);
  EXPECT_EQ(plan.detector_buckets.back(), plan.detector_max_batch);
  EXPECT_TRUE(std::is_sorted(plan.batch_buckets.begin(), plan.batch_buckets.end()));
  EXPECT_EQ(plan.batch_buckets.front(), 1);
}

TEST(ThreadPlanTest, AGpuPlansTheDetectorsConvolutionsOnce) {
  for (const Device device : {Device::kCuda, Device::kTensorRt}) {
    EXPECT_EQ(PlanThreads(16, device).detector_buckets.size(), 1U) << DeviceName(device);
  }
}

}  // namespace
}  // namespace telltale
