// Collects rows of many requests into batches for one session.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/cancellation.h"
#include "base/fields.h"
#include "base/worker_pool.h"
#include "inference/session.h"

namespace telltale {

struct BatcherOptions {
  int max_batch = 1;                       // rows a run takes at most
  std::chrono::microseconds max_delay{0};  // how long the oldest row waits for company
  std::function<TimePoint()> now;          // the clock; tests give their own
  std::function<void()> on_work = [] {};   // called, unlocked, when rows arrive
};

// Counters since the start.
struct BatcherCounts {
  uint64_t batches = 0;
  uint64_t rows = 0;     // rows run
  uint64_t dropped = 0;  // rows whose request was cancelled or had expired before they ran
  TELLTALE_FIELDS(batches, rows, dropped)
};

// A batch closes when it holds max_batch rows of one size or its oldest row has waited max_delay. Rows of one
// priority leave in the order in which they came. A batch has those of the priority that is asked for, and
// what room they leave goes to others. A request's rows may be spread over batches and run on several threads
// at once. Requests that were cancelled or have expired are dropped before they run. It has no threads: a
// WorkerPool runs the batches. The lock is held only to move rows in
// and out. Thread-safe.
class Batcher : public WorkSource {
 public:
  using Done = std::function<void(Result<Outputs>)>;

  // `session` must outlive the batcher.
  Batcher(Session& session, BatcherOptions options);

  // Calls `done` exactly once, with the outputs of all rows of `pixels` (at least one) in their order. It
  // does so on the thread that ran the last of them or dropped the request. Errors: those of Session::Run and
  // of `cancellation`, kInternalError if memory runs out. `done` must not throw.
  void Submit(PixelBatch pixels, std::shared_ptr<const Cancellation> cancellation, Done done);

  bool RunOne(Priority priority, bool flush) override;
  std::optional<TimePoint> ReadyAt() const override;
  // True from four full batches on: enough to keep every runner busy. Those of the background keep no caller
  // waiting.
  bool Backlogged(Priority priority) const override;

  BatcherCounts counts() const;

 private:
  struct Request;
  struct Slice {
    std::shared_ptr<Request> request;
    int first_row;
    int rows;
  };

  // Requests that wait, in the order in which they came.
  struct Lane {
    std::deque<std::shared_ptr<Request>> waiting;
    int rows = 0;
  };

  std::vector<Slice> AssembleBatch(Priority priority, bool flush,
                                   std::vector<std::shared_ptr<Request>>* dropped);
  bool FailOldest(Priority priority);
  static void Store(const Slice& slice, int row, bool is_whole_batch, Outputs* outputs);
  bool Drop(Lane* lane, Request* request, Status status);
  void DropOver(Lane* lane, TimePoint now, std::vector<std::shared_ptr<Request>>* dropped);
  // Adds rows of the lane that have the size of `like`, as many as there is room for; gives the room that is
  // left.
  int AddRows(Lane* lane, const PixelBatch& like, int room, std::vector<Slice>* slices);
  int WaitingRows() const;
  Lane& LaneOf(Priority priority) { return lanes_[static_cast<size_t>(priority)]; }
  const Lane& LaneOf(Priority priority) const { return lanes_[static_cast<size_t>(priority)]; }
  Result<Outputs> RunSlices(const std::vector<Slice>& slices);
  void Deliver(const std::vector<Slice>& slices, Result<Outputs> outputs);

  Session& session_;
  const BatcherOptions options_;
  mutable std::mutex mutex_;  // guards everything below
  std::array<Lane, kPriorities> lanes_;
  BatcherCounts counts_;
};

}  // namespace telltale
