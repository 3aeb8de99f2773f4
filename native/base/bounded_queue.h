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

// Result of adding an item to the queue.
enum class PushResult { kAccepted, kFull, kClosed };

// A queue with a separate first-in, first-out lane for each priority. An item takes a slot of its lane from
// TryPush until the consumer calls Release. The limit of a lane therefore counts waiting items and items that
// are being processed. Background items have their own lane, so that they never cause a caller's item to be
// refused. Thread-safe; never blocks.
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

  // Removes and returns the oldest item of a priority. Returns nullopt if no item waits. The item's slot
  // stays taken until Release. Still works after Close.
  std::optional<T> TryPop(Priority priority = Priority::kCaller) {
    const std::lock_guard lock(mutex_);
    std::deque<T>& items = LaneOf(priority).items;
    if (items.empty()) return std::nullopt;
    std::optional<T> item(std::move(items.front()));
    items.pop_front();
    return item;
  }

  // Frees the slot of an item that TryPop returned. Requires the priority that was passed to TryPop.
  void Release(Priority priority = Priority::kCaller) {
    const std::lock_guard lock(mutex_);
    --LaneOf(priority).taken;
  }

  // Makes every later TryPush fail. Items that are already in the queue can still be popped.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

  // Returns the number of waiting items of both priorities.
  size_t waiting() const {
    const std::lock_guard lock(mutex_);
    size_t sum = 0;
    for (const Lane& lane : lanes_) sum += lane.items.size();
    return sum;
  }

  // Returns the number of taken slots of both priorities: of waiting items, and of items not released yet.
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
