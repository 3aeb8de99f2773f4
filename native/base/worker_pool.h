// The engine's threads: they run posted tasks, and ready work of sources such as batchers.
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

// A source that collects its own work for the pool's threads. All methods may be called from any thread.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  // Runs one ready piece of work of this priority on the calling thread. Returns false if no piece was ready.
  // If `flush` is true, all waiting work is ready, because no more will arrive.
  virtual bool RunOne(Priority priority, bool flush) = 0;
  // Returns the time at which the oldest waiting work becomes ready, or nullopt if nothing waits.
  virtual std::optional<TimePoint> ReadyAt() const = 0;
  // Returns true if so much work waits that no new task of this priority should begin.
  virtual bool Backlogged(Priority priority) const = 0;
};

// Memory accounting of a pool's tasks.
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
  // Maximum bytes for all running tasks together, as measured by their Measure functions.
  uint64_t memory_limit = UINT64_MAX;
};

// A fixed number of threads with a bounded queue of tasks. Callers' work runs first, in tasks and in sources.
// After kCallersInARow pieces of callers' work, one waiting background piece runs, so background work
// progresses under any load. Within a priority, work already begun runs first: steps, then sources' work,
// then new tasks. No task begins while a source is backlogged.
//
// The oldest task waits while its memory does not fit next to the running tasks. All other tasks, of either
// priority, wait behind it, so no task waits forever. A task larger than the limit runs alone.
//
// A task that waits for a result need not block its thread: it keeps its permit, returns, and continues in a
// step. It counts as running until its permit is destroyed.
class WorkerPool {
 public:
  using Task = std::function<void()>;
  // A task's queue slot and memory, given back when the last copy is destroyed. The last copy must be
  // destroyed on a thread of the pool.
  using Permit = std::shared_ptr<void>;
  using PermitTask = std::function<void(Permit)>;
  // Returns the maximum bytes that a task uses while it runs. Called once, on a thread of the pool.
  using Measure = std::function<uint64_t()>;

  // Starts the threads. `sources` must outlive the pool and call Wake when work arrives. Tasks, steps and
  // sources must not throw.
  WorkerPool(const PoolOptions& options, std::vector<WorkSource*> sources);
  // Calls Close.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Queues `task` without blocking. Moves from `task` only if the result is kAccepted. Thread-safe.
  PushResult TryPost(PermitTask&& task, Measure measure = nullptr, Priority priority = Priority::kCaller);
  // Queues a task that ends when it returns and needs no permit.
  PushResult TryPost(Task&& task, Measure measure = nullptr, Priority priority = Priority::kCaller);
  // Runs `step` on a task thread before other work of its priority. Requires that the task still holds its
  // permit. Works while the pool closes. Thread-safe.
  void PostStep(Task&& step, Priority priority);
  // Makes waiting threads look for work again. Thread-safe.
  void Wake();
  // Refuses new tasks, runs all accepted work and joins the threads. May be called twice, from one thread at
  // a time, but not from a thread of the pool.
  void Close();

  // Returns the memory accounting without waiting for a task or a measurement. Thread-safe.
  PoolMemory memory() const { return {memory_limit_, memory_taken_.load(), memory_waits_.load()}; }

  size_t waiting() const { return tasks_.waiting() + (holds_oldest_.load() ? 1 : 0); }

 private:
  struct PostedTask {
    PermitTask run;
    Measure measure;
    Priority priority;
  };
  struct MeasuredTask {
    PermitTask run;
    Priority priority;
    uint64_t bytes = 0;
  };

  void Serve(bool tasks, bool sources);
  bool RunNext(bool tasks, bool sources);
  bool RunStep(Priority priority);
  bool RunSource(Priority priority);
  bool RunTask(Priority priority);
  std::optional<MeasuredTask> PopTask(Priority priority);
  void CountPiece(Priority priority);
  Permit MakePermit(const MeasuredTask& task);
  void GiveBack(uint64_t bytes);
  bool Drained() const;
  TimePoint NextReady() const;

  BoundedQueue<PostedTask> tasks_;
  BoundedQueue<Task> steps_{SIZE_MAX};  // each of a task that has a slot in tasks_
  const std::vector<WorkSource*> sources_;
  const uint64_t memory_limit_;
  std::mutex memory_mutex_;                 // for changes of the four below; taken before that of tasks_
  std::optional<MeasuredTask> oldest_;      // popped, and waits until it fits
  std::atomic<uint64_t> memory_taken_ = 0;  // bytes, of tasks under way
  std::atomic<uint64_t> memory_waits_ = 0;  // tasks that became oldest_ and did not fit
  std::atomic<bool> holds_oldest_ = false;  // atomic, as the two above: asked without the mutex
  std::atomic<int> callers_in_a_row_ = 0;   // pieces since the last of the background's
  std::atomic<bool> closing_ = false;
  std::atomic<uint64_t> signals_ = 0;  // counts Wake: a thread that saw all of them may sleep
  std::mutex mutex_;                   // guards sleeping on wake_, nothing else
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

}  // namespace telltale
