// Tests with a fake network and a fake clock: batches start when full or after a wait, results reach their
// own requests, and cancelled and expired requests are dropped.
#include "inference/batcher.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "tests/scarce_memory.h"

namespace telltale {
namespace {

using std::chrono::microseconds;

// A network whose output 0 is the first byte of each row, and whose output 1 is that byte and its double.
class FakeSession : public Session {
 public:
  Result<Outputs> Run(const PixelView& batch) override {
    const std::lock_guard lock(mutex_);
    batches.push_back(batch.rows);
    if (fail) return Status(StatusCode::kInternalError, "broken");
    Outputs outputs = {{1, {}}, {2, {}}};
    for (int row = 0; row < batch.rows; ++row) {
      const float value = batch.pixels[static_cast<size_t>(row) * batch.height * batch.width * 3];
      outputs[0].values.push_back(value);
      outputs[1].values.insert(outputs[1].values.end(), {value, 2 * value});
    }
    return outputs;
  }

  std::vector<int> batches;
  bool fail = false;

 private:
  std::mutex mutex_;
};

class BatcherTest : public testing::Test {
 protected:
  Batcher Make(int max_batch, microseconds max_delay) {
    return Batcher(session_, {max_batch, max_delay, [this] { return now_; }, [this] { ++arrivals_; }});
  }

  // Submits `rows` rows whose first bytes count up from `first`, and stores the result in results_[index].
  void Submit(Batcher& batcher, uint8_t first, int rows, int size = 2) {
    PixelBatch pixels(rows, size, size);
    for (int i = 0; i < rows; ++i) *pixels.row(i) = static_cast<uint8_t>(first + i);
    const size_t index = results_.size();
    results_.emplace_back(Status(StatusCode::kInternalError, "not called"));
    batcher.Submit(std::move(pixels), cancellation_, [this, index](Result<Outputs> outputs) {
      results_[index] = std::move(outputs);
      ++done_;
    });
  }

  std::vector<float> Values(size_t index, size_t output) {
    return results_.at(index).value().at(output).values;
  }

  FakeSession session_;
  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  std::shared_ptr<Cancellation> cancellation_ = std::make_shared<Cancellation>();
  std::vector<Result<Outputs>> results_;
  int done_ = 0;
  int arrivals_ = 0;
};

TEST_F(BatcherTest, FailsItsRequestsIfMemoryRunsOutAnywhereInARun) {
  bool has_failed = true;
  for (int allocations = 0; has_failed; ++allocations) {
    results_.clear();
    done_ = 0;
    Batcher batcher = Make(4, microseconds(1000));
    Submit(batcher, 1, 3);
    Submit(batcher, 11, 2);
    Submit(batcher, 21, 1);
    {
      const ScarceMemory scarce(allocations);
      while (batcher.RunOne(Priority::kCaller, true)) continue;
      has_failed = ScarceMemory::HasFailed();
    }
    EXPECT_EQ(done_, 3) << allocations;
    EXPECT_FALSE(batcher.ReadyAt()) << allocations;
    for (const Result<Outputs>& result : results_) {
      if (result.ok()) continue;
      EXPECT_TRUE(has_failed);
      EXPECT_EQ(result.status().message(), kOutOfMemory) << allocations;
    }
  }
}

TEST_F(BatcherTest, ABatchClosesWhenItIsFull) {
  Batcher batcher = Make(4, microseconds(1000));
  Submit(batcher, 1, 3);
  EXPECT_FALSE(batcher.RunOne(Priority::kCaller, false));
  Submit(batcher, 11, 1);
  EXPECT_EQ(arrivals_, 2);
  EXPECT_TRUE(batcher.RunOne(Priority::kCaller, false));
  EXPECT_EQ(session_.batches, std::vector<int>{4});
  EXPECT_EQ(Values(0, 0), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(Values(1, 1), (std::vector<float>{11, 22}));
}

TEST_F(BatcherTest, ABatchClosesWhenItsOldestRowHasWaitedLongEnough) {
  Batcher batcher = Make(4, microseconds(1000));
  Submit(batcher, 1, 1);
  now_ += microseconds(600);
  Submit(batcher, 2, 1);
  EXPECT_EQ(batcher.ReadyAt(), now_ + microseconds(400));
  now_ += microseconds(399);
  EXPECT_FALSE(batcher.RunOne(Priority::kCaller, false));
  now_ += microseconds(1);
  EXPECT_TRUE(batcher.RunOne(Priority::kCaller, false));
  EXPECT_EQ(session_.batches, std::vector<int>{2});
  EXPECT_EQ(done_, 2);
  EXPECT_EQ(batcher.ReadyAt(), std::nullopt);
}

TEST_F(BatcherTest, AFlushTakesWhatThereIs) {
  Batcher batcher = Make(4, microseconds(1000));
  Submit(batcher, 1, 1);
  EXPECT_TRUE(batcher.RunOne(Priority::kCaller, true));
  EXPECT_EQ(done_, 1);
  EXPECT_FALSE(batcher.RunOne(Priority::kCaller, true));
}

TEST_F(BatcherTest, RowsOfOneRequestMaySpreadOverBatchesAndComeBackInOrder) {
  Batcher batcher = Make(4, microseconds(0));
  Submit(batcher, 1, 6);
  Submit(batcher, 21, 5);
  while (batcher.RunOne(Priority::kCaller, false)) continue;
  EXPECT_EQ(session_.batches, (std::vector<int>{4, 4, 3}));
  EXPECT_EQ(Values(0, 0), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Values(1, 1), (std::vector<float>{21, 42, 22, 44, 23, 46, 24, 48, 25, 50}));
  EXPECT_EQ(batcher.counts().batches, 3U);
  EXPECT_EQ(batcher.counts().rows, 11U);
}

TEST_F(BatcherTest, RowsOfOtherSizesWaitForABatchOfTheirOwn) {
  Batcher batcher = Make(8, microseconds(0));
  Submit(batcher, 1, 2, 2);
  Submit(batcher, 5, 1, 3);
  Submit(batcher, 9, 1, 2);
  while (batcher.RunOne(Priority::kCaller, false)) continue;
  EXPECT_EQ(session_.batches, (std::vector<int>{3, 1}));
  EXPECT_EQ(Values(1, 0), std::vector<float>{5});
  EXPECT_EQ(Values(2, 0), std::vector<float>{9});
}

TEST_F(BatcherTest, CancelledWorkIsDroppedBeforeItRuns) {
  Batcher batcher = Make(4, microseconds(0));
  Submit(batcher, 1, 3);
  cancellation_->Cancel();
  cancellation_ = std::make_shared<Cancellation>();
  Submit(batcher, 9, 2);
  EXPECT_TRUE(batcher.RunOne(Priority::kCaller, false));
  EXPECT_EQ(session_.batches, std::vector<int>{2});
  EXPECT_EQ(results_[0].status().code(), StatusCode::kCancelled);
  EXPECT_EQ(Values(1, 0), (std::vector<float>{9, 10}));
  EXPECT_EQ(batcher.counts().dropped, 3U);
}

TEST_F(BatcherTest, ExpiredWorkIsDroppedBeforeItRuns) {
  Batcher batcher = Make(4, microseconds(1000));
  cancellation_ = std::make_shared<Cancellation>(now_ + microseconds(500));
  Submit(batcher, 1, 2);
  now_ += microseconds(500);
  EXPECT_TRUE(batcher.RunOne(Priority::kCaller, false));
  EXPECT_TRUE(session_.batches.empty());
  EXPECT_EQ(results_[0].status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(BatcherTest, WorkCancelledHalfWaySettlesOnce) {
  Batcher batcher = Make(2, microseconds(0));
  Submit(batcher, 1, 5);
  EXPECT_TRUE(batcher.RunOne(Priority::kCaller, false));
  cancellation_->Cancel();
  while (batcher.RunOne(Priority::kCaller, false)) continue;
  EXPECT_EQ(session_.batches, std::vector<int>{2});
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(results_[0].status().code(), StatusCode::kCancelled);
}

TEST_F(BatcherTest, AFailedRunFailsItsRequestsAndNoOthers) {
  Batcher batcher = Make(2, microseconds(0));
  Submit(batcher, 1, 3);
  Submit(batcher, 7, 2);
  session_.fail = true;
  EXPECT_TRUE(batcher.RunOne(Priority::kCaller, false));
  session_.fail = false;
  while (batcher.RunOne(Priority::kCaller, false)) continue;
  EXPECT_EQ(done_, 2);
  EXPECT_EQ(results_[0].status().code(), StatusCode::kInternalError);
  EXPECT_EQ(Values(1, 0), (std::vector<float>{7, 8}));
}

TEST_F(BatcherTest, FourFullBatchesAreABacklog) {
  Batcher batcher = Make(2, microseconds(0));
  Submit(batcher, 1, 7);
  EXPECT_FALSE(batcher.Backlogged(Priority::kCaller));
  Submit(batcher, 1, 1);
  EXPECT_TRUE(batcher.Backlogged(Priority::kCaller));
}

TEST_F(BatcherTest, EachPriorityHasALaneAndTheRoomThatItLeavesGoesToTheOther) {
  Batcher batcher = Make(4, microseconds(0));
  const auto callers =
      std::exchange(cancellation_, std::make_shared<Cancellation>(TimePoint::max(), Priority::kBackground));
  Submit(batcher, 1, 5);
  cancellation_ = callers;
  Submit(batcher, 11, 3);
  EXPECT_TRUE(batcher.RunOne(Priority::kCaller, false));
  EXPECT_EQ(Values(1, 0), (std::vector<float>{11, 12, 13}));
  EXPECT_EQ(done_, 1);
  EXPECT_FALSE(batcher.RunOne(Priority::kCaller, false));
  EXPECT_TRUE(batcher.RunOne(Priority::kBackground, false));
  EXPECT_EQ(Values(0, 0), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(session_.batches, (std::vector<int>{4, 4}));
  EXPECT_EQ(batcher.ReadyAt(), std::nullopt);
}

TEST_F(BatcherTest, ABacklogOfTheBackgroundHoldsNoCallerUp) {
  Batcher batcher = Make(1, microseconds(0));
  cancellation_ = std::make_shared<Cancellation>(TimePoint::max(), Priority::kBackground);
  Submit(batcher, 1, 4);
  EXPECT_FALSE(batcher.Backlogged(Priority::kCaller));
  EXPECT_TRUE(batcher.Backlogged(Priority::kBackground));
  while (batcher.RunOne(Priority::kBackground, false)) continue;
  cancellation_ = std::make_shared<Cancellation>();
  Submit(batcher, 1, 4);
  EXPECT_TRUE(batcher.Backlogged(Priority::kCaller));
  EXPECT_TRUE(batcher.Backlogged(Priority::kBackground));
}

// Results must not depend on which rows run together, nor on the thread. ThreadSanitizer runs this too.
TEST(BatcherThreadsTest, ManyThreadsGetTheirOwnRows) {
  FakeSession session;
  Batcher batcher(session, {4, microseconds(0), [] { return std::chrono::steady_clock::now(); }, [] {}});
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const int rows = 1 + (i + t) % 7;
        PixelBatch pixels(rows, 2, 2);
        for (int row = 0; row < rows; ++row) *pixels.row(row) = static_cast<uint8_t>(50 * t + row);
        std::promise<Result<Outputs>> promise;
        batcher.Submit(std::move(pixels), std::make_shared<Cancellation>(),
                       [&](Result<Outputs> given) { promise.set_value(std::move(given)); });
        // If RunOne finds no rows, another thread has taken them and will deliver their outputs.
        while (batcher.RunOne(Priority::kCaller, true)) continue;
        const auto outputs = promise.get_future().get();
        for (int row = 0; row < rows; ++row) wrong += outputs.value()[0].values[row] != 50 * t + row;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace telltale
