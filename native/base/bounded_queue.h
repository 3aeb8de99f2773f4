// A queue with a bound that refuses instead of growing.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/priority.h"

namespace telltale {

// What became of an item that was offered.
enum class PushResult { kAccepted, kFull, kClosed };

// Two lanes, each first in, first out. An item holds a slot of its lane from TryPush until its consumer calls
// Release. So the bound counts items that wait and items in work. Each lane has the bound for itself: the
// background never turns a caller away. Thread-safe; never blocks.
template <typename T>
class BoundedQueue {
 public:
  // `slots` of each lane, >= 1.
  explicit BoundedQueue(size_t slots) : slots_(slots) {}

  // Takes `item` over only where it returns kAccepted.
  PushResult TryPush(T&& item, Priority priority = Priority::kCaller) {
    const std::lock_guard lock(mutex_);
    if (closed_) return PushResult::kClosed;
    Lane& lane = LaneOf(priority);
    if (lane.taken >= slots_) return PushResult::kFull;
    lane.items.push_back(std::move(item));
    ++lane.taken;
    return PushResult::kAccepted;
  }

  // The oldest item of a lane, whose slot stays taken; nothing if none waits. Works after Close.
  std::optional<T> TryPop(Priority priority = Priority::kCaller) {
    const std::lock_guard lock(mutex_);
    std::deque<T>& items = LaneOf(priority).items;
    if (items.empty()) return std::nullopt;
    std::optional<T> item(std::move(items.front()));
    items.pop_front();
    return item;
  }

  // Gives back the slot of an item that TryPop gave of that lane.
  void Release(Priority priority = Priority::kCaller) {
    const std::lock_guard lock(mutex_);
    --LaneOf(priority).taken;
  }

  // Refuses every later TryPush; what was accepted stays.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

  // Items that wait, in both lanes.
  size_t waiting() const {
    const std::lock_guard lock(mutex_);
    size_t sum = 0;
    for (const Lane& lane : lanes_) sum += lane.items.size();
    return sum;
  }

  // Slots taken of both lanes: items that wait and items popped but not released.
  size_t taken() const {
    const std::lock_guard lock(mutex_);
    size_t sum = 0;
    for (const Lane& lane : lanes_) sum += lane.taken;
    return sum;
  }

 private:
  struct Lane {
    std::deque<T> items;
    size_t taken = 0;
  };

  Lane& LaneOf(Priority priority) { return lanes_[static_cast<size_t>(priority)]; }

  const size_t slots_;
  mutable std::mutex mutex_;
  std::array<Lane, kPriorities> lanes_;
  bool closed_ = false;
};

}  // namespace telltale
