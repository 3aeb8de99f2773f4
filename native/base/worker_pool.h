// The threads of an engine: they run posted tasks and the ready work of sources such as batchers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/bounded_queue.h"
#include "base/ticket.h"

namespace telltale {

// Something that collects work of its own for the pool's threads. All methods are called from any thread.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  // Runs one ready piece of work on the calling thread; false where none was ready. `flush`: everything that
  // waits is ready, because nothing more will come.
  virtual bool RunOne(bool flush) = 0;
  // When the oldest waiting work becomes ready; nothing where none waits.
  virtual std::optional<TimePoint> ReadyAt() const = 0;
  // Whether so much waits that no new task should begin.
  virtual bool Backlogged() const = 0;
};

// How many threads do what.
struct PoolOptions {
  int task_threads = 1;    // >= 1; run tasks
  int source_threads = 0;  // run the sources' work; 0: the task threads do both, sources first
  int queue_limit = 0;     // tasks that may wait while every task thread has one
};

// A fixed number of threads with a bounded queue of tasks. Work already begun goes first: a thread that
// serves sources takes a task only where no source has work ready, and no task begins while a source is
// backlogged.
class WorkerPool {
 public:
  using Task = std::function<void()>;

  // Starts the threads. `sources` must outlive the pool and call Wake when work arrives. Tasks and sources
  // must not throw.
  WorkerPool(const PoolOptions& options, std::vector<WorkSource*> sources);
  // Closes.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Never blocks. Takes `task` over only where it returns kAccepted. Thread-safe.
  PushResult TryPost(Task&& task);
  // Makes waiting threads look for work again. Thread-safe.
  void Wake();
  // Refuses new tasks, runs everything accepted, joins. Safe to call twice, from one thread at a time, and
  // from none of the pool's own.
  void Close();

  size_t waiting() const { return tasks_.waiting(); }

 private:
  void Serve(bool tasks, bool sources);
  bool RunSource();
  bool RunTask();
  bool Drained() const;
  TimePoint NextReady() const;

  BoundedQueue<Task> tasks_;
  const std::vector<WorkSource*> sources_;
  std::atomic<bool> closing_ = false;
  std::atomic<uint64_t> signals_ = 0;  // counts Wake: a thread that saw all of them may sleep
  std::mutex mutex_;                   // guards sleeping on wake_, nothing else
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

}  // namespace telltale
