// Tests that the pool runs all accepted work, collected work before tasks, and joins its threads on Close.
#include "base/worker_pool.h"

#include <gtest/gtest.h>

#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/scarce_memory.h"

namespace telltale {
namespace {

// A source with `pieces` pieces of work of one priority, ready immediately or only when the pool closes.
class FakeSource : public WorkSource {
 public:
  explicit FakeSource(std::function<void()> work) : work_(std::move(work)) {}

  bool RunOne(Priority asked, bool flush) override {
    if (asked != priority || (only_at_flush && !flush)) return false;
    int left = pieces.load();
    while (left > 0) {
      if (!pieces.compare_exchange_weak(left, left - 1)) continue;
      work_();
      return true;
    }
    return false;
  }
  std::optional<TimePoint> ReadyAt() const override {
    if (pieces.load() == 0) return std::nullopt;
    return only_at_flush ? TimePoint::max() : TimePoint::min();
  }
  bool Backlogged(Priority) const override { return backlogged.load(); }

  std::atomic<int> pieces = 0;
  std::atomic<bool> backlogged = false;
  bool only_at_flush = false;
  Priority priority = Priority::kCaller;

 private:
  const std::function<void()> work_;
};

TEST(WorkerPoolTest, RunsEveryAcceptedTaskBeforeCloseReturns) {
  std::atomic<int> ran = 0;
  WorkerPool pool({.task_threads = 3, .source_threads = 0, .queue_limit = 500}, {});
  for (int i = 0; i < 500; ++i) ASSERT_EQ(pool.TryPost([&] { ++ran; }), PushResult::kAccepted);
  pool.Close();
  EXPECT_EQ(ran.load(), 500);
  EXPECT_EQ(pool.TryPost([] {}), PushResult::kClosed);
  pool.Close();
}

TEST(WorkerPoolTest, StartsATaskWithoutAllocating) {
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  std::optional<ScarceMemory> scarce;
  bool ran = false, has_failed = false;
  WorkerPool pool({.task_threads = 1, .source_threads = 0, .queue_limit = 2}, {});
  ASSERT_EQ(pool.TryPost([&] {
    open.wait();
    scarce.emplace(0);  // for the thread of the pool
  }),
            PushResult::kAccepted);
  ASSERT_EQ(pool.TryPost([&] {
    ran = true;
    has_failed = ScarceMemory::HasFailed();
    scarce.reset();
  }),
            PushResult::kAccepted);
  gate.set_value();
  pool.Close();
  EXPECT_TRUE(ran);
  EXPECT_FALSE(has_failed);
}

TEST(WorkerPoolTest, RefusesBeyondOneTaskAThreadAndTheQueue) {
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  WorkerPool pool({.task_threads = 1, .source_threads = 0, .queue_limit = 2}, {});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool.TryPost([=] { open.wait(); }), PushResult::kAccepted);
  EXPECT_EQ(pool.TryPost([] {}), PushResult::kFull);
  gate.set_value();
}

TEST(WorkerPoolTest, FinishesBegunWorkBeforeTheNextTask) {
  std::string order;  // written by the single thread only
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  FakeSource source([&] { order += 's'; });
  WorkerPool pool({.task_threads = 1, .source_threads = 0, .queue_limit = 4}, {&source});
  ASSERT_EQ(pool.TryPost([&] {
    open.wait();
    order += 't';
    source.pieces = 2;
  }),
            PushResult::kAccepted);
  ASSERT_EQ(pool.TryPost([&] { order += 't'; }), PushResult::kAccepted);
  gate.set_value();
  pool.Close();
  EXPECT_EQ(order, "tsst");
}

TEST(WorkerPoolTest, BeginsNoTaskWhileASourceIsBacklogged) {
  std::promise<void> ran;
  std::future<void> has_run = ran.get_future();
  FakeSource source([] {});
  source.backlogged = true;
  WorkerPool pool({.task_threads = 1, .source_threads = 1, .queue_limit = 0}, {&source});
  ASSERT_EQ(pool.TryPost([&] { ran.set_value(); }), PushResult::kAccepted);
  // By now the source's thread has looked for work. The task must wait, because the source is backlogged.
  EXPECT_EQ(pool.waiting(), 1U);
  source.backlogged = false;
  pool.Wake();
  has_run.wait();
}

TEST(WorkerPoolTest, CloseFlushesWhatASourceHoldsBack) {
  std::atomic<int> ran = 0;
  FakeSource source([&] { ++ran; });
  source.only_at_flush = true;
  source.pieces = 3;
  for (const int source_threads : {0, 1}) {
    ran = 0;
    source.pieces = 3;
    WorkerPool pool({.task_threads = 1, .source_threads = source_threads, .queue_limit = 0}, {&source});
    pool.Close();
    EXPECT_EQ(ran.load(), 3);
  }
}

TEST(WorkerPoolTest, ATaskHoldsItsPlaceAndMemoryUntilItsPermitGoes) {
  WorkerPool::Permit kept;
  std::promise<void> began, ended;
  WorkerPool pool({.task_threads = 1, .source_threads = 0, .queue_limit = 0, .memory_limit = 100}, {});
  const auto keep = [&](WorkerPool::Permit permit) {
    kept = std::move(permit);
    began.set_value();
  };
  ASSERT_EQ(pool.TryPost(keep, [] { return 60; }), PushResult::kAccepted);
  began.get_future().wait();
  EXPECT_EQ(pool.TryPost([] {}), PushResult::kFull);
  EXPECT_EQ(pool.memory().taken_bytes, 60u);
  // The task has returned and kept its permit. Its thread is free to run this step.
  pool.PostStep(
      [&] {
        kept.reset();
        ended.set_value();
      },
      Priority::kCaller);
  ended.get_future().wait();
  EXPECT_EQ(pool.memory().taken_bytes, 0u);
  EXPECT_EQ(pool.TryPost([] {}), PushResult::kAccepted);
}

TEST(WorkerPoolTest, AStepGoesBeforeSourcesAndTasksOfItsPriority) {
  std::string order;  // written by the single thread only
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  FakeSource source([&] { order += 's'; });
  WorkerPool pool({.task_threads = 1, .source_threads = 0, .queue_limit = 4}, {&source});
  const auto begin = [&](WorkerPool::Permit permit) {
    open.wait();
    order += 't';
    source.pieces = 1;
    pool.PostStep([&, permit] { order += 'b'; }, Priority::kBackground);
    pool.PostStep([&, permit] { order += 'c'; }, Priority::kCaller);
  };
  ASSERT_EQ(pool.TryPost(begin), PushResult::kAccepted);
  ASSERT_EQ(pool.TryPost([&] { order += 't'; }), PushResult::kAccepted);
  gate.set_value();
  pool.Close();
  EXPECT_EQ(order, "tcstb");
}

TEST(WorkerPoolTest, CloseWaitsForTasksThatGoOn) {
  std::atomic<bool> went_on = false;
  std::unique_ptr<WorkerPool> pool;
  WorkerPool::Permit kept;
  // The step is posted from a source's thread, as for an image whose crops were in a batch.
  FakeSource source([&] {
    pool->PostStep([&went_on, permit = std::exchange(kept, nullptr)] { went_on = true; }, Priority::kCaller);
  });
  pool = std::make_unique<WorkerPool>(PoolOptions{.task_threads = 1, .source_threads = 1, .queue_limit = 0},
                                      std::vector<WorkSource*>{&source});
  const auto begin = [&](WorkerPool::Permit permit) {
    kept = std::move(permit);
    source.pieces = 1;
    pool->Wake();
  };
  ASSERT_EQ(pool->TryPost(begin), PushResult::kAccepted);
  pool->Close();
  EXPECT_TRUE(went_on);
}

// Returns the order in which one thread runs work that waits: callers' tasks ('c'), background tasks ('b')
// and background work of a source ('s').
std::string OrderOf(int callers, int background, int pieces) {
  std::string order;
  std::promise<void> gate, began;
  const std::shared_future<void> open = gate.get_future().share();
  FakeSource source([&] { order += 's'; });
  source.priority = Priority::kBackground;
  WorkerPool pool({.task_threads = 1, .source_threads = 0, .queue_limit = 100}, {&source});
  // Keeps the thread busy. Has background priority, so that the count of callers' tasks starts at 0.
  const auto hold = [&] {
    began.set_value();
    open.wait();
  };
  EXPECT_EQ(pool.TryPost(hold, nullptr, Priority::kBackground), PushResult::kAccepted);
  began.get_future().wait();
  for (int i = 0; i < background; ++i)
    EXPECT_EQ(pool.TryPost([&] { order += 'b'; }, nullptr, Priority::kBackground), PushResult::kAccepted);
  source.pieces = pieces;
  for (int i = 0; i < callers; ++i) EXPECT_EQ(pool.TryPost([&] { order += 'c'; }), PushResult::kAccepted);
  gate.set_value();
  pool.Close();
  return order;
}

TEST(WorkerPoolTest, CallersGoBeforeTheBackground) {
  EXPECT_EQ(OrderOf(3, 2, 0), "cccbb");
  EXPECT_EQ(OrderOf(3, 1, 2), "cccssb");  // also before background work that has begun
  EXPECT_EQ(OrderOf(0, 2, 0), "bb");
}

TEST(WorkerPoolTest, TheBackgroundGoesOnHoweverManyCallersThereAre) {
  ASSERT_EQ(kCallersInARow, 8);
  EXPECT_EQ(OrderOf(20, 5, 0),
            "ccccccccb"
            "ccccccccb"
            "cccc"
            "bbb");
  EXPECT_EQ(OrderOf(20, 1, 1),
            "ccccccccs"
            "ccccccccb"
            "cccc");
}

TEST(WorkerPoolTest, TheBackgroundTurnsNoCallerAway) {
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  const auto wait = [=] { open.wait(); };
  WorkerPool pool({.task_threads = 1, .source_threads = 0, .queue_limit = 2}, {});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(pool.TryPost(wait, nullptr, Priority::kBackground), PushResult::kAccepted);
  EXPECT_EQ(pool.TryPost(wait, nullptr, Priority::kBackground), PushResult::kFull);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool.TryPost(wait), PushResult::kAccepted);
  EXPECT_EQ(pool.TryPost(wait), PushResult::kFull);
  gate.set_value();
}

// Returns true if a task of `bytes` bytes starts while another takes 60 of 100 bytes.
bool BeginsBesideSixty(uint64_t bytes) {
  std::promise<void> gate, first_began;
  std::atomic<bool> is_open = false, was_beside = false;
  const std::shared_future<void> open = gate.get_future().share();
  std::promise<void> second_began;
  WorkerPool pool({.task_threads = 2, .source_threads = 0, .queue_limit = 4, .memory_limit = 100}, {});
  const auto first = [&] {
    first_began.set_value();
    open.wait();
  };
  const auto second = [&] {
    was_beside = !is_open;
    second_began.set_value();
  };
  EXPECT_EQ(pool.TryPost(first, [] { return 60; }), PushResult::kAccepted);
  first_began.get_future().wait();
  // When the second task's memory is measured, the other thread has already considered it.
  std::atomic<bool> is_measured = false;
  EXPECT_EQ(pool.TryPost(second,
                         [&, bytes] {
                           is_measured = true;
                           return bytes;
                         }),
            PushResult::kAccepted);
  while (!is_measured) std::this_thread::yield();
  if (bytes <= 40) second_began.get_future().wait();
  is_open = true;
  gate.set_value();
  pool.Close();
  return was_beside;
}

TEST(WorkerPoolTest, LetsATaskWaitThatDoesNotFitBesideThoseThatRun) {
  EXPECT_TRUE(BeginsBesideSixty(40));
  EXPECT_FALSE(BeginsBesideSixty(41));
  EXPECT_FALSE(BeginsBesideSixty(1'000));  // more than there is: alone
}

TEST(WorkerPoolTest, StartsAWaitingTaskOnceItNeedsNoMemory) {
  std::promise<void> gate, first_began, second_began;
  const std::shared_future<void> open = gate.get_future().share();
  std::atomic<uint64_t> bytes = 60;
  WorkerPool pool({.task_threads = 2, .source_threads = 0, .queue_limit = 4, .memory_limit = 100}, {});
  const auto first = [&] {
    first_began.set_value();
    open.wait();
  };
  ASSERT_EQ(pool.TryPost(first, [] { return 60; }), PushResult::kAccepted);
  first_began.get_future().wait();
  ASSERT_EQ(pool.TryPost([&] { second_began.set_value(); }, [&] { return bytes.load(); }),
            PushResult::kAccepted);
  while (pool.memory().waits == 0) std::this_thread::yield();
  bytes = 0;
  pool.Wake();
  EXPECT_EQ(second_began.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
  EXPECT_EQ(pool.memory().taken_bytes, 60u);
  gate.set_value();
}

TEST(WorkerPoolTest, NeverTakesMoreThanItsMemory) {
  std::atomic<uint64_t> taken = 0, most = 0;
  std::atomic<int> ran = 0;
  {
    WorkerPool pool({.task_threads = 4, .source_threads = 0, .queue_limit = 400, .memory_limit = 100}, {});
    for (uint64_t i = 0; i < 400; ++i) {
      const uint64_t bytes = i * 37 % 101;
      const auto run = [&, bytes] {
        const uint64_t now = taken += bytes;
        uint64_t seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) continue;
        std::this_thread::yield();
        taken -= bytes;
        ++ran;
      };
      ASSERT_EQ(pool.TryPost(run, [bytes] { return bytes; }), PushResult::kAccepted);
    }
  }
  EXPECT_EQ(ran, 400);
  EXPECT_LE(most, 100u);
}

TEST(WorkerPoolTest, TellsWhatItsTasksTakeAndHowManyWaited) {
  std::promise<void> gate, first_began;
  const std::shared_future<void> open = gate.get_future().share();
  WorkerPool pool({.task_threads = 2, .source_threads = 0, .queue_limit = 4, .memory_limit = 100}, {});
  const auto first = [&] {
    first_began.set_value();
    open.wait();
  };
  EXPECT_EQ(pool.memory().budget_bytes, 100u);
  EXPECT_EQ(pool.memory().taken_bytes, 0u);
  ASSERT_EQ(pool.TryPost(first, [] { return 60; }), PushResult::kAccepted);
  first_began.get_future().wait();
  EXPECT_EQ(pool.memory().taken_bytes, 60u);
  EXPECT_EQ(pool.memory().waits, 0u);
  ASSERT_EQ(pool.TryPost([] {}, [] { return 1'000; }), PushResult::kAccepted);
  ASSERT_EQ(pool.TryPost([] {}, [] { return 41; }), PushResult::kAccepted);
  while (pool.memory().waits == 0) std::this_thread::yield();
  // The task behind it is not measured yet. Waking the threads once more must not change the counters.
  pool.Wake();
  EXPECT_EQ(pool.memory().taken_bytes, 60u);
  gate.set_value();
  pool.Close();
  EXPECT_EQ(pool.memory().taken_bytes, 0u);
  EXPECT_GE(pool.memory().waits, 1u);
  EXPECT_LE(pool.memory().waits, 2u);
}

TEST(DeadlineTest, ALongTimeIsNoDeadline) {
  const TimePoint now = std::chrono::steady_clock::now();
  EXPECT_EQ(DeadlineAfter(now, 1500), now + std::chrono::milliseconds(1500));
  EXPECT_EQ(DeadlineAfter(now, 4.3e9), now + std::chrono::milliseconds(4'300'000'000));  // above 2^32
  EXPECT_EQ(DeadlineAfter(now, 1e12), TimePoint::max());
  EXPECT_EQ(DeadlineAfter(now, 1e300), TimePoint::max());
  EXPECT_EQ(DeadlineAfter(now, std::numeric_limits<double>::infinity()), TimePoint::max());
  EXPECT_TRUE(Cancellation(DeadlineAfter(now, 1e300)).Check(now).ok());
}

}  // namespace
}  // namespace telltale
