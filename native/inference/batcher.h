// Joining the inputs of many requests into batches, which a GPU runs faster than single inputs.
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
  int max_batch = 1;                       // maximum rows of a run
  std::chrono::microseconds max_delay{0};  // maximum time that the oldest row waits for the batch to fill
  std::function<TimePoint()> now;          // the clock; replaced in tests
  std::function<void()> on_work = [] {};   // called without the lock when rows arrive
};

// Counters since the start.
struct BatcherCounts {
  uint64_t batches = 0;
  uint64_t rows = 0;     // rows that were run
  uint64_t dropped = 0;  // rows whose request was cancelled or had expired before running
  TELLTALE_FIELDS(batches, rows, dropped)
};

// A queue of inputs for one network. Each input is a row of pixels, such as a crop. A batch starts when
// max_batch rows of one size wait, or when the oldest row has waited max_delay. Rows of one priority run in
// the order in which they arrived. A batch takes rows of the requested priority first, and then rows of the
// other priority. The rows of one request may run in several batches, on several threads at the same time.
// Cancelled and expired requests are dropped before they run. The batcher has no threads: a WorkerPool runs
// the batches. The lock is held only to add and remove rows. Thread-safe.
class Batcher : public WorkSource {
 public:
  using Done = std::function<void(Result<Outputs>)>;

  // Requires that `session` outlives the batcher.
  Batcher(Session& session, BatcherOptions options);

  // Queues all rows of `pixels` (at least one). Calls `done` exactly once, with the outputs in row order. The
  // call comes from the thread that ran the last row or dropped the request. Errors: as Session::Run and
  // `cancellation`; kInternalError if memory runs out. `done` must not throw.
  void Submit(PixelBatch pixels, std::shared_ptr<const Cancellation> cancellation, Done done);

  bool RunOne(Priority priority, bool flush) override;
  std::optional<TimePoint> ReadyAt() const override;
  // Returns true if rows for at least four full batches wait, which is enough to keep every thread busy. For
  // callers' work, waiting background rows are not counted.
  bool Backlogged(Priority priority) const override;

  BatcherCounts counts() const;

 private:
  struct Request;
  struct Slice {
    std::shared_ptr<Request> request;
    int first_row;
    int rows;
  };

  // Waiting requests of one priority, oldest first.
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
  // Adds up to `free_rows` waiting rows, of the size of `like`, to a batch. Returns how many more rows fit.
  int AddRows(Lane* lane, const PixelBatch& like, int free_rows, std::vector<Slice>* slices);
  int WaitingRows() const;
  Lane& LaneOf(Priority priority) { return lanes_[static_cast<size_t>(priority)]; }
  const Lane& LaneOf(Priority priority) const { return lanes_[static_cast<size_t>(priority)]; }
  Result<Outputs> RunSlices(const std::vector<Slice>& slices);
  void Deliver(const std::vector<Slice>& slices, Result<Outputs> outputs);

  Session& session_;
  const BatcherOptions options_;
  mutable std::mutex mutex_;  // guards all following members
  std::array<Lane, kPriorities> lanes_;
  BatcherCounts counts_;
};

}  // namespace telltale
