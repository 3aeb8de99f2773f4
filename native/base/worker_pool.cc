// The loop that each thread of the pool runs. A thread first continues tasks that have begun, then runs work
// that batchers have collected, then starts new tasks. Callers' work goes before background work.
#include "base/worker_pool.h"

#include <algorithm>
#include <new>
#include <utility>

namespace telltale {

WorkerPool::WorkerPool(const PoolOptions& options, std::vector<WorkSource*> sources)
    : tasks_(static_cast<size_t>(options.task_threads + options.queue_limit)),
      sources_(std::move(sources)),
      memory_limit_(options.memory_limit) {
  const bool shared = options.source_threads == 0;
  for (int i = 0; i < options.task_threads; ++i) threads_.emplace_back([=, this] { Serve(true, shared); });
  for (int i = 0; i < options.source_threads; ++i) threads_.emplace_back([this] { Serve(false, true); });
}

WorkerPool::~WorkerPool() { Close(); }

PushResult WorkerPool::TryPost(PermitTask&& task, Measure measure, Priority priority) {
  auto held = std::make_shared<Held>();
  held->priority = priority;
  const PushResult result = tasks_.TryPush({std::move(task), std::move(measure), std::move(held)}, priority);
  if (result == PushResult::kAccepted) Wake();
  return result;
}

PushResult WorkerPool::TryPost(Task&& task, Measure measure, Priority priority) {
  return TryPost([task = std::move(task)](const Permit&) { task(); }, std::move(measure), priority);
}

void WorkerPool::PostStep(Task&& step, Priority priority) {
  steps_.TryPush(std::move(step), priority);
  Wake();
}

void WorkerPool::Wake() {
  {
    const std::lock_guard lock(mutex_);
    signals_.fetch_add(1);
  }
  wake_.notify_all();
}

void WorkerPool::Close() {
  tasks_.Close();
  closing_.store(true);
  Wake();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::Serve(bool tasks, bool sources) {
  for (;;) {
    // Reads the counter before the thread looks for work. Work that arrives later changes the counter, so
    // that the thread does not fall asleep and miss it.
    const uint64_t seen = signals_.load();
    if (RunNext(tasks, sources)) continue;
    if (closing_.load() && Drained()) return;
    std::unique_lock lock(mutex_);
    const auto woken = [&] { return signals_.load() != seen; };
    const TimePoint ready = sources ? NextReady() : TimePoint::max();
    if (ready == TimePoint::max()) {
      wake_.wait(lock, woken);
    } else {
      wake_.wait_until(lock, ready, woken);
    }
  }
}

bool WorkerPool::RunNext(bool tasks, bool sources) {
  Priority first = Priority::kCaller, second = Priority::kBackground;
  if (callers_in_a_row_.load() >= kCallersInARow) std::swap(first, second);
  for (const Priority priority : {first, second}) {
    if (tasks && RunStep(priority)) return true;
    if (sources && RunSource(priority)) return true;
    if (tasks && RunTask(priority)) return true;
  }
  return false;
}

void WorkerPool::CountPiece(Priority priority) {
  // Two threads may update the counter at the same time, and one update is then lost. That is acceptable
  // because the share of background work is approximate.
  const int callers = callers_in_a_row_.load();
  callers_in_a_row_.store(priority == Priority::kCaller ? std::min(callers + 1, kCallersInARow) : 0);
}

bool WorkerPool::RunStep(Priority priority) {
  std::optional<Task> step = steps_.TryPop(priority);
  if (!step) return false;
  steps_.Release(priority);
  CountPiece(priority);
  (*step)();
  return true;
}

bool WorkerPool::RunSource(Priority priority) {
  for (WorkSource* source : sources_) {
    if (!source->RunOne(priority, closing_.load() && tasks_.taken() == 0)) continue;
    CountPiece(priority);
    Wake();  // a source may no longer be backlogged
    return true;
  }
  return false;
}

bool WorkerPool::RunTask(Priority priority) {
  if (std::any_of(sources_.begin(), sources_.end(),
                  [&](auto* source) { return source->Backlogged(priority); }))
    return false;
  std::optional<PostedTask> task = PopTask(priority);
  if (!task) return false;
  task->held->pool = this;
  CountPiece(task->held->priority);
  // Holds the task's queue slot and memory until everything that the task captured is destroyed. A task that
  // needs them longer keeps a copy.
  const Permit permit = std::move(task->held);
  task->run(permit);
  task.reset();
  return true;
}

std::optional<WorkerPool::PostedTask> WorkerPool::PopTask(Priority priority) {
  const std::lock_guard lock(memory_mutex_);
  const bool is_new = !oldest_;
  if (is_new) oldest_ = tasks_.TryPop(priority);
  if (!oldest_) return std::nullopt;
  uint64_t bytes = 0;
  try {
    if (oldest_->measure) bytes = oldest_->measure();
  } catch (const std::bad_alloc&) {
    bytes = memory_limit_;  // makes the task run alone
  }
  oldest_->held->bytes = std::min(bytes, memory_limit_);
  holds_oldest_.store(oldest_->held->bytes > memory_limit_ - memory_taken_);
  if (holds_oldest_.load()) {
    if (is_new) memory_waits_.fetch_add(1);
    return std::nullopt;
  }
  memory_taken_ += oldest_->held->bytes;
  return std::exchange(oldest_, std::nullopt);
}

void WorkerPool::GiveBack(const Held& held) {
  bool has_waiting = false;
  if (held.bytes > 0) {
    const std::lock_guard lock(memory_mutex_);
    memory_taken_ -= held.bytes;
    has_waiting = oldest_.has_value();
  }
  tasks_.Release(held.priority);
  // When the last task of a closing pool has ended, waiting threads may end too.
  if (has_waiting || closing_.load()) Wake();
}

bool WorkerPool::Drained() const {
  return tasks_.taken() == 0 && std::none_of(sources_.begin(), sources_.end(),
                                             [](auto* source) { return source->ReadyAt().has_value(); });
}

TimePoint WorkerPool::NextReady() const {
  TimePoint next = TimePoint::max();
  for (const WorkSource* source : sources_)
    next = std::min(next, source->ReadyAt().value_or(TimePoint::max()));
  return next;
}

}  // namespace telltale
