// Queueing inputs of a network, joining them into batches and passing results back.
#include "inference/batcher.h"

#include <algorithm>
#include <exception>

namespace telltale {

// Inputs of one Submit call. The batcher's lock guards its members, except `outputs`, which batches fill.
struct Batcher::Request {
  PixelBatch pixels;
  std::shared_ptr<const Cancellation> cancellation;
  Done done;
  TimePoint arrived;
  int batched = 0;   // rows that were put into a batch
  int finished = 0;  // rows that have outputs or failed
  Outputs outputs;
  Status status;
};

namespace {

bool SameSize(const PixelBatch& a, const PixelBatch& b) { return a.height == b.height && a.width == b.width; }

// Copies `rows` rows of each output, from row `from` of the batch, to row `to` of the request's outputs.
void CopyRows(const Outputs& batch, int from, int rows, int to, Outputs* request) {
  for (size_t i = 0; i < batch.size(); ++i) {
    const size_t size = batch[i].row_size;
    std::copy_n(batch[i].values.begin() + from * size, rows * size, (*request)[i].values.begin() + to * size);
  }
}

}  // namespace

Batcher::Batcher(Session& session, BatcherOptions options)
    : session_(session), options_(std::move(options)) {}

void Batcher::Submit(PixelBatch pixels, std::shared_ptr<const Cancellation> cancellation, Done done) {
  auto request = std::make_shared<Request>();
  request->pixels = std::move(pixels);
  request->cancellation = std::move(cancellation);
  request->done = std::move(done);
  request->arrived = options_.now();
  {
    const std::lock_guard lock(mutex_);
    Lane& lane = LaneOf(request->cancellation->priority());
    const int rows = request->pixels.rows;
    lane.waiting.push_back(std::move(request));
    lane.rows += rows;
  }
  options_.on_work();
}

bool Batcher::RunOne(Priority priority, bool flush) {
  std::vector<std::shared_ptr<Request>> dropped;
  std::vector<Slice> slices;
  bool is_out_of_memory = false;
  try {
    slices = AssembleBatch(priority, flush, &dropped);
  } catch (const std::bad_alloc&) {
    is_out_of_memory = true;
  }
  for (const auto& request : dropped) request->done(std::move(request->status));
  if (is_out_of_memory) return FailOldest(priority) || !dropped.empty();
  if (slices.empty()) return !dropped.empty();
  try {
    Deliver(slices, RunSlices(slices));
  } catch (const std::exception&) {  // out of memory during the run; Deliver throws nothing
    Deliver(slices, Status(StatusCode::kInternalError, kOutOfMemory));
  }
  return true;
}

// Fails the oldest waiting request because memory ran out, without allocating. Returns false if no request
// waits.
bool Batcher::FailOldest(Priority priority) {
  std::shared_ptr<Request> oldest;
  {
    const std::lock_guard lock(mutex_);
    Lane& lane = LaneOf(priority);
    if (lane.waiting.empty()) return false;
    oldest = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    if (!Drop(&lane, oldest.get(), Status(StatusCode::kInternalError, kOutOfMemory))) return true;
  }
  oldest->done(std::move(oldest->status));
  return true;
}

std::optional<TimePoint> Batcher::ReadyAt() const {
  const std::lock_guard lock(mutex_);
  const auto delay = WaitingRows() >= options_.max_batch ? std::chrono::microseconds(0) : options_.max_delay;
  std::optional<TimePoint> ready;
  for (const Lane& lane : lanes_) {
    if (lane.waiting.empty()) continue;
    const TimePoint at = lane.waiting.front()->arrived + delay;
    ready = ready ? std::min(*ready, at) : at;
  }
  return ready;
}

bool Batcher::Backlogged(Priority priority) const {
  const std::lock_guard lock(mutex_);
  const int rows = priority == Priority::kCaller ? LaneOf(priority).rows : WaitingRows();
  return rows >= 4 * options_.max_batch;
}

BatcherCounts Batcher::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

int Batcher::WaitingRows() const {
  int rows = 0;
  for (const Lane& lane : lanes_) rows += lane.rows;
  return rows;
}

// Returns a batch if there are enough inputs for a full one, or if the oldest input has waited long enough.
// Otherwise returns an empty list. Moves cancelled and expired requests to `dropped`.
std::vector<Batcher::Slice> Batcher::AssembleBatch(Priority priority, bool flush,
                                                   std::vector<std::shared_ptr<Request>>* dropped) {
  std::vector<Slice> slices;
  slices.reserve(options_.max_batch);  // each slice has a row; adding a slice now needs no memory
  const TimePoint now = options_.now();
  const std::lock_guard lock(mutex_);
  for (Lane& lane : lanes_) DropOver(&lane, now, dropped);
  Lane& first = LaneOf(priority);
  if (first.waiting.empty()) return slices;
  const bool aged = now >= first.waiting.front()->arrived + options_.max_delay;
  if (WaitingRows() < options_.max_batch && !aged && !flush) return slices;

  // This copy keeps the request alive, because the lane releases the request when its last row is taken.
  const std::shared_ptr<Request> like = first.waiting.front();
  int free_rows = AddRows(&first, like->pixels, options_.max_batch, &slices);
  for (Lane& lane : lanes_) {
    if (&lane != &first) free_rows = AddRows(&lane, like->pixels, free_rows, &slices);
  }
  counts_.batches += 1;
  counts_.rows += options_.max_batch - free_rows;
  return slices;
}

void Batcher::DropOver(Lane* lane, TimePoint now, std::vector<std::shared_ptr<Request>>* dropped) {
  for (auto it = lane->waiting.begin(); it != lane->waiting.end();) {
    Request& request = **it;
    Status status = request.status.ok() ? request.cancellation->Check(now) : request.status;
    if (status.ok()) {
      ++it;
      continue;
    }
    dropped->push_back(*it);  // the last step that needs memory
    if (!Drop(lane, &request, std::move(status))) dropped->pop_back();
    it = lane->waiting.erase(it);
  }
}

// Removes a request's waiting rows from the queue. Returns false if other rows of the request are still
// running, because their run then reports the status.
bool Batcher::Drop(Lane* lane, Request* request, Status status) {
  const int left = request->pixels.rows - request->batched;
  lane->rows -= left;
  counts_.dropped += left;
  request->status = std::move(status);
  request->batched = request->pixels.rows;
  request->finished += left;
  return request->finished == request->pixels.rows;
}

int Batcher::AddRows(Lane* lane, const PixelBatch& like, int free_rows, std::vector<Slice>* slices) {
  for (auto it = lane->waiting.begin(); it != lane->waiting.end() && free_rows > 0;) {
    Request& request = **it;
    if (!SameSize(request.pixels, like)) {
      ++it;
      continue;
    }
    const int rows = std::min(free_rows, request.pixels.rows - request.batched);
    slices->push_back({*it, request.batched, rows});
    request.batched += rows;
    free_rows -= rows;
    lane->rows -= rows;
    it = request.batched == request.pixels.rows ? lane->waiting.erase(it) : std::next(it);
  }
  return free_rows;
}

Result<Outputs> Batcher::RunSlices(const std::vector<Slice>& slices) {
  const PixelBatch& front = slices.front().request->pixels;
  const size_t row_size = front.row_size();
  if (slices.size() == 1) {
    const Slice& slice = slices.front();
    return session_.Run(
        {front.pixels.data() + row_size * slice.first_row, slice.rows, front.height, front.width});
  }
  int rows = 0;
  for (const Slice& slice : slices) rows += slice.rows;
  PixelBatch batch(rows, front.height, front.width);
  uint8_t* target = batch.pixels.data();
  for (const Slice& slice : slices) {
    target = std::copy_n(slice.request->pixels.pixels.data() + row_size * slice.first_row,
                         row_size * slice.rows, target);
  }
  return session_.Run({batch.pixels.data(), batch.rows, batch.height, batch.width});
}

// Stores the outputs of one request's part of a batch. The part starts at row `row` of the batch.
void Batcher::Store(const Slice& slice, int row, bool is_whole_batch, Outputs* outputs) {
  Request& request = *slice.request;
  if (is_whole_batch && slice.rows == request.pixels.rows) {
    request.outputs = std::move(*outputs);
    return;
  }
  if (request.outputs.empty()) {
    Outputs zeros;
    for (const Output& output : *outputs)
      zeros.push_back({output.row_size, std::vector<float>(output.row_size * request.pixels.rows)});
    request.outputs = std::move(zeros);
  }
  CopyRows(*outputs, row, slice.rows, slice.first_row, &request.outputs);
}

// Passes the outputs of a batch to its requests. Never throws: without memory, the requests fail.
void Batcher::Deliver(const std::vector<Slice>& slices, Result<Outputs> outputs) {
  int row = 0;
  for (const Slice& slice : slices) {
    Request& request = *slice.request;
    {
      // Copies within the lock. Results are small, so that costs less than locking for each request.
      const std::lock_guard lock(mutex_);
      try {
        if (outputs.ok()) {
          Store(slice, row, slices.size() == 1, &outputs.value());
        } else if (request.status.ok()) {
          request.status = outputs.status();
        }
      } catch (const std::bad_alloc&) {
        request.status = Status(StatusCode::kInternalError, kOutOfMemory);
      }
      row += slice.rows;
      request.finished += slice.rows;
      if (request.finished < request.pixels.rows) continue;
    }
    if (request.status.ok()) {
      request.done(std::move(request.outputs));
    } else {
      request.done(std::move(request.status));
    }
  }
}

}  // namespace telltale
