// A bounded queue that refuses new items when full instead of growing.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/priority.h"

namespace telltale {

// Outcome of offering an item to the queue.
enum class PushResult { kAccepted, kFull, kClosed };

// A queue with one first-in, first-out lane per priority. An item holds a slot of its lane from TryPush until
// its consumer calls Release, so the bound counts waiting items and items in work. Each lane has its own
// bound: background items never cause a caller's item to be refused. Thread-safe; never blocks.
template <typename T>
class BoundedQueue {
 public:
  // Makes a queue with `slots` slots in each lane. Requires slots >= 1.
  explicit BoundedQueue(size_t slots) : slots_(slots) {}

  // Adds an item. Moves from `item` only if the result is kAccepted.
  PushResult TryPush(T&& item, Priority priority = Priority::kCaller) {
    const std::lock_guard lock(mutex_);
    if (closed_) return PushResult::kClosed;
    Lane& lane = LaneOf(priority);
    if (lane.taken >= slots_) return PushResult::kFull;
    lane.items.push_back(std::move(item));
    ++lane.taken;
    return PushResult::kAccepted;
  }

  // Removes and returns the lane's oldest item, or nullopt if the lane is empty. The item's slot stays taken
  // until Release. Works after Close.
  std::optional<T> TryPop(Priority priority = Priority::kCaller) {
    const std::lock_guard lock(mutex_);
    std::deque<T>& items = LaneOf(priority).items;
    if (items.empty()) return std::nullopt;
    std::optional<T> item(std::move(items.front()));
    items.pop_front();
    return item;
  }

  // Frees the slot of an item that TryPop returned from the same lane.
  void Release(Priority priority = Priority::kCaller) {
    const std::lock_guard lock(mutex_);
    --LaneOf(priority).taken;
  }

  // Refuses every later TryPush. Accepted items stay.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

  // Returns the number of waiting items in both lanes.
  size_t waiting() const {
    const std::lock_guard lock(mutex_);
    size_t sum = 0;
    for (const Lane& lane : lanes_) sum += lane.items.size();
    return sum;
  }

  // Returns the number of taken slots in both lanes: waiting items, and items popped but not released.
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
