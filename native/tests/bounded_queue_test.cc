// Tests that a full queue refuses items instead of growing, and that accepted items stay in the queue.
#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace telltale {
namespace {

TEST(BoundedQueueTest, GivesItemsInTheirOrder) {
  BoundedQueue<int> queue(3);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(queue.TryPush(int{i}), PushResult::kAccepted);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(queue.TryPop(), i);
  EXPECT_EQ(queue.TryPop(), std::nullopt);
}

TEST(BoundedQueueTest, RefusesWhenFullAndLeavesTheItemToTheCaller) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  ASSERT_EQ(queue.TryPush(std::make_unique<int>(1)), PushResult::kAccepted);
  auto second = std::make_unique<int>(2);
  EXPECT_EQ(queue.TryPush(std::move(second)), PushResult::kFull);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(*second, 2);
}

TEST(BoundedQueueTest, AnItemInWorkHoldsItsSlotUntilItIsReleased) {
  BoundedQueue<int> queue(1);
  ASSERT_EQ(queue.TryPush(1), PushResult::kAccepted);
  ASSERT_TRUE(queue.TryPop());
  EXPECT_EQ(queue.waiting(), 0U);
  EXPECT_EQ(queue.taken(), 1U);
  EXPECT_EQ(queue.TryPush(2), PushResult::kFull);
  queue.Release();
  EXPECT_EQ(queue.TryPush(2), PushResult::kAccepted);
}

TEST(BoundedQueueTest, EachLaneHasItsOrderAndItsSlots) {
  BoundedQueue<int> queue(1);
  EXPECT_EQ(queue.TryPush(1, Priority::kBackground), PushResult::kAccepted);
  EXPECT_EQ(queue.TryPush(2, Priority::kBackground), PushResult::kFull);
  EXPECT_EQ(queue.TryPush(3, Priority::kCaller), PushResult::kAccepted);
  EXPECT_EQ(queue.waiting(), 2U);
  EXPECT_EQ(queue.TryPop(Priority::kCaller), 3);
  EXPECT_EQ(queue.TryPop(Priority::kCaller), std::nullopt);
  EXPECT_EQ(queue.TryPop(Priority::kBackground), 1);
  queue.Release(Priority::kBackground);
  EXPECT_EQ(queue.taken(), 1U);
  EXPECT_EQ(queue.TryPush(2, Priority::kBackground), PushResult::kAccepted);
  EXPECT_EQ(queue.TryPush(4, Priority::kCaller), PushResult::kFull);
}

TEST(BoundedQueueTest, KeepsWhatItAcceptedWhenClosed) {
  BoundedQueue<int> queue(2);
  ASSERT_EQ(queue.TryPush(1), PushResult::kAccepted);
  queue.Close();
  EXPECT_EQ(queue.TryPush(2), PushResult::kClosed);
  EXPECT_EQ(queue.TryPop(), 1);
}

TEST(BoundedQueueTest, LosesAndDoublesNothingBetweenThreads) {
  constexpr int kItems = 20'000;
  BoundedQueue<int> queue(8);
  std::atomic<int64_t> sum = 0;
  std::atomic<int> popped = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (popped.load() < 2 * kItems) {
        const std::optional<int> item = queue.TryPop();
        if (!item) {
          std::this_thread::yield();
          continue;
        }
        sum += *item;
        ++popped;
        queue.Release();
      }
    });
    threads.emplace_back([&] {
      for (int i = 1; i <= kItems; ++i) {
        while (queue.TryPush(int{i}) != PushResult::kAccepted) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.load(), int64_t{kItems} * (kItems + 1));
  EXPECT_EQ(queue.taken(), 0U);
}

}  // namespace
}  // namespace telltale
