// The engine's thread pool. Its threads run tasks, and work that batchers have collected from several tasks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/bounded_queue.h"
#include "base/cancellation.h"
#include "base/fields.h"

namespace telltale {

// An object that collects work for the pool's threads, such as a batcher, which groups the inputs of a
// network. All methods may be called from any thread.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  // Runs one ready piece of work of this priority on the calling thread. Returns false if no piece is ready.
  // If `flush` is true, all waiting work is ready, because the pool closes and no more will arrive.
  virtual bool RunOne(Priority priority, bool flush) = 0;
  // Returns the time at which the oldest waiting work becomes ready, or nullopt if nothing waits.
  virtual std::optional<TimePoint> ReadyAt() const = 0;
  // Returns true if so much work of this source waits that no new task of this priority should start.
  virtual bool Backlogged(Priority priority) const = 0;
};

// Memory that a pool's tasks take, and the limit for it.
struct PoolMemory {
  uint64_t budget_bytes = UINT64_MAX;
  uint64_t taken_bytes = 0;  // measured bytes of running tasks; at most the limit
  uint64_t waits = 0;        // tasks since the start that had to wait for memory
  TELLTALE_FIELDS(budget_bytes, taken_bytes, waits)
};

// Thread counts and limits of a pool.
struct PoolOptions {
  int task_threads = 1;    // >= 1; threads that run tasks
  int source_threads = 0;  // threads that run the sources' work; 0: task threads do both, sources first
  int queue_limit = 0;     // maximum waiting tasks of each priority while all task threads are busy
  // Maximum memory of all running tasks together. A task's Measure function returns the task's memory.
  uint64_t memory_limit = UINT64_MAX;
};

// A fixed number of threads with a bounded queue of tasks. Callers' work has priority over background work.
// After kCallersInARow pieces of callers' work, one background piece runs, so that background work progresses
// under any load. For each priority, the order is: tasks that have started, batches that batchers have
// collected, new tasks. No task starts while too many batches wait.
//
// The oldest task waits until its memory fits next to the running tasks. All other tasks of both priorities
// wait behind it, so that no task waits forever. A task larger than the limit runs alone.
//
// A task that waits for a result need not block its thread. It keeps its permit, returns, and later continues
// in a step (see PostStep). The task counts as running until its permit is destroyed.
class WorkerPool {
 public:
  using Task = std::function<void()>;
  // A task's right to its queue slot and memory. Both are freed when the last copy is destroyed. The last
  // copy must be destroyed on a thread of the pool.
  using Permit = std::shared_ptr<void>;
  using PermitTask = std::function<void(Permit)>;
  // Function that returns the maximum bytes that a task uses. Called on a thread of the pool, and again
  // whenever the pool considers a waiting task, because a cancelled task may need less. Never called
  // concurrently for one task.
  using Measure = std::function<uint64_t()>;

  // Starts the threads. `sources` must outlive the pool and call Wake when work arrives. No work may throw.
  WorkerPool(const PoolOptions& options, std::vector<WorkSource*> sources);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Queues `task` without blocking. Moves from `task` only if the result is kAccepted. Thread-safe.
  PushResult TryPost(PermitTask&& task, Measure measure = nullptr, Priority priority = Priority::kCaller);
  // Queues a task that is finished when it returns, so that it needs no permit.
  PushResult TryPost(Task&& task, Measure measure = nullptr, Priority priority = Priority::kCaller);
  // Continues a task: runs `step` on a task thread before other work of the same priority. Requires that the
  // task still holds its permit. Also works while the pool closes. Thread-safe.
  void PostStep(Task&& step, Priority priority);
  // Wakes sleeping threads so that they look for work again. Thread-safe.
  void Wake();
  // Refuses new tasks, runs all accepted work and joins the threads. May be called twice, but not by two
  // threads concurrently and not from a thread of the pool.
  void Close();

  // Returns the memory use without waiting for a task or a measurement. Thread-safe.
  PoolMemory memory() const { return {memory_limit_, memory_taken_.load(), memory_waits_.load()}; }

  size_t waiting() const { return tasks_.waiting() + (holds_oldest_.load() ? 1 : 0); }

 private:
  // Resources of a task, which its permit frees. Allocated when a task is posted, because a thread of the
  // pool that runs out of memory could not end the task.
  struct Held {
    ~Held() {
      if (pool != nullptr) pool->GiveBack(*this);
    }
    WorkerPool* pool = nullptr;  // null until the task runs
    Priority priority = Priority::kCaller;
    uint64_t bytes = 0;
  };
  struct PostedTask {
    PermitTask run;
    Measure measure;
    std::shared_ptr<Held> held;
  };

  void Serve(bool tasks, bool sources);
  bool RunNext(bool tasks, bool sources);
  bool RunStep(Priority priority);
  bool RunSource(Priority priority);
  bool RunTask(Priority priority);
  std::optional<PostedTask> PopTask(Priority priority);
  void CountPiece(Priority priority);
  void GiveBack(const Held& held);
  bool Drained() const;
  TimePoint NextReady() const;

  BoundedQueue<PostedTask> tasks_;
  BoundedQueue<Task> steps_{SIZE_MAX};  // steps of tasks that hold a slot of tasks_
  const std::vector<WorkSource*> sources_;
  const uint64_t memory_limit_;
  std::mutex memory_mutex_;           // guards changes of the next four members; locked before tasks_' mutex
  std::optional<PostedTask> oldest_;  // removed from the queue, waits until its memory fits
  std::atomic<uint64_t> memory_taken_ = 0;  // bytes of running tasks
  std::atomic<uint64_t> memory_waits_ = 0;  // tasks that had to wait for memory
  std::atomic<bool> holds_oldest_ = false;  // atomic like the two above: readers do not lock the mutex
  std::atomic<int> callers_in_a_row_ = 0;   // callers' pieces since the last background piece
  std::atomic<bool> closing_ = false;
  std::atomic<uint64_t> signals_ = 0;  // counts Wake: a thread that saw all of them may sleep
  std::mutex mutex_;                   // guards sleeping on wake_, nothing else
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

}  // namespace telltale
