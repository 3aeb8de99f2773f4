// The threads of an engine: they run posted tasks and the ready work of sources such as batchers.
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

// Something that collects work of its own for the pool's threads. All methods are called from any thread.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  // Runs one ready piece of work of that priority on the calling thread; false if none was ready. `flush`:
  // everything that waits is ready, because nothing more will come.
  virtual bool RunOne(Priority priority, bool flush) = 0;
  // When the oldest waiting work becomes ready; nothing if none waits.
  virtual std::optional<TimePoint> ReadyAt() const = 0;
  // Whether so much waits that no new task of that priority should begin.
  virtual bool Backlogged(Priority priority) const = 0;
};

// What is known of the memory that a pool's tasks may take together.
struct PoolMemory {
  uint64_t budget_bytes = UINT64_MAX;
  uint64_t taken_bytes = 0;  // of tasks under way, as measured; at most the limit
  uint64_t waits = 0;        // tasks since the start that did not fit beside those under way
  TELLTALE_FIELDS(budget_bytes, taken_bytes, waits)
};

// How many threads do what.
struct PoolOptions {
  int task_threads = 1;    // >= 1; run tasks
  int source_threads = 0;  // run the sources' work; 0: the task threads do both, sources first
  int queue_limit = 0;     // tasks of each priority that may wait while every task thread has one
  // Bytes that all tasks under way may take together, as far as they say how many they take.
  uint64_t memory_limit = UINT64_MAX;
};

// A fixed number of threads with a bounded queue of tasks. Callers' work goes first, whether it is a source's
// or a task. After kCallersInARow pieces of it one of the background's is run, if one waits: it goes on
// however much callers ask for. Of one priority work already begun goes first: steps of tasks, then sources'
// work. No task begins while a source is backlogged. A task that was taken waits while it does not fit beside
// those under way. All others wait with it, of whatever priority, so none is passed over for ever. One that
// is larger than the limit runs alone.
//
// A task that waits for others need not keep its thread: it keeps its permit, returns, and goes on in a step.
// Until its permit goes, it counts as under way.
class WorkerPool {
 public:
  using Task = std::function<void()>;
  // A task's place in the queue and its memory, given back when the last copy goes; that must be on a thread
  // of the pool.
  using Permit = std::shared_ptr<void>;
  using PermitTask = std::function<void(Permit)>;
  // The most bytes that a task takes while it is under way; called once, on a thread of the pool.
  using Measure = std::function<uint64_t()>;

  // Starts the threads. `sources` must outlive the pool and call Wake when work arrives. Tasks, steps and
  // sources must not throw.
  WorkerPool(const PoolOptions& options, std::vector<WorkSource*> sources);
  // Closes.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Never blocks. Takes `task` over only where it returns kAccepted. Thread-safe.
  PushResult TryPost(PermitTask&& task, Measure measure = nullptr, Priority priority = Priority::kCaller);
  // The same for a task that ends where it returns.
  PushResult TryPost(Task&& task, Measure measure = nullptr, Priority priority = Priority::kCaller);
  // Runs `step` on a thread for tasks before any other work of that priority. For tasks that have their
  // permit, also while the pool closes. Thread-safe.
  void PostStep(Task&& step, Priority priority);
  // Makes waiting threads look for work again. Thread-safe.
  void Wake();
  // Refuses new tasks, runs everything accepted, joins. Safe to call twice, from one thread at a time, and
  // from none of the pool's own.
  void Close();

  // Waits for no task, nor for one that is measured. Thread-safe.
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
