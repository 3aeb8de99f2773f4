// Cancellation, deadline and priority of a request.
#pragma once

#include <atomic>
#include <chrono>

#include "base/priority.h"
#include "base/status.h"

namespace telltale {

using TimePoint = std::chrono::steady_clock::time_point;

// Returns the deadline that is `left_ms` milliseconds after `now`. From about thirty years on, returns no
// deadline, because the clock's nanoseconds would overflow.
inline TimePoint DeadlineAfter(TimePoint now, double left_ms) {
  constexpr double kNoDeadlineMs = 1e12;
  if (!(left_ms < kNoDeadlineMs)) return TimePoint::max();
  return now +
         std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double, std::milli>(left_ms));
}

// State shared by the caller and the worker of a request. Thread-safe.
class Cancellation {
 public:
  // Makes the state of a request. Without a deadline, the request never expires.
  explicit Cancellation(TimePoint deadline = TimePoint::max(), Priority priority = Priority::kCaller)
      : deadline_(deadline), priority_(priority) {}

  // Cancels the request. Work that has not begun fails with kCancelled. A decoder that is running stops at
  // the next row or tile, in most formats.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  // Returns the priority of all work done for the request.
  Priority priority() const { return priority_; }

  // Returns kCancelled after Cancel, kDeadlineExceeded if the deadline is at or before `now`, OK otherwise.
  Status Check(TimePoint now) const {
    if (cancelled_.load(std::memory_order_relaxed)) return {StatusCode::kCancelled, "cancelled"};
    if (now >= deadline_) return {StatusCode::kDeadlineExceeded, "deadline_passed"};
    return {};
  }

  // Returns true if the request is cancelled or past its deadline. Allocates no string, so it is safe in hot
  // loops and in callbacks that exit by longjmp.
  bool IsOver() const {
    return cancelled_.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() >= deadline_;
  }

 private:
  const TimePoint deadline_;
  const Priority priority_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace telltale
