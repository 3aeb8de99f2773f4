// A request's right to be worked on: it can be cancelled, it expires, and others may go before it.
#pragma once

#include <atomic>
#include <chrono>

#include "base/priority.h"
#include "base/status.h"

namespace telltale {

using TimePoint = std::chrono::steady_clock::time_point;

// Shared by the caller and the worker. Thread-safe.
class Cancellation {
 public:
  // Never expires unless a deadline is given.
  explicit Cancellation(TimePoint deadline = TimePoint::max(), Priority priority = Priority::kCaller)
      : deadline_(deadline), priority_(priority) {}

  // Work not yet begun is dropped with kCancelled; of what runs, most decoders stop at the next row or tile.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  // Of all work that is done for the request.
  Priority priority() const { return priority_; }

  // OK, kCancelled, or kDeadlineExceeded where the deadline is `now` or earlier.
  Status Check(TimePoint now) const {
    if (cancelled_.load(std::memory_order_relaxed))
      return {StatusCode::kCancelled, "the check was cancelled"};
    if (now >= deadline_)
      return {StatusCode::kDeadlineExceeded, "the check did not finish within its deadline"};
    return {};
  }

  // Whether Check says no by now. For loops and for callbacks that are left by longjmp: it makes no string.
  bool IsOver() const {
    return cancelled_.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() >= deadline_;
  }

 private:
  const TimePoint deadline_;
  const Priority priority_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace telltale
