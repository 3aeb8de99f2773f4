// A queue with a bound that refuses instead of growing.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace telltale {

// What became of an item that was offered.
enum class PushResult { kAccepted, kFull, kClosed };

// First in, first out. An item holds a slot from TryPush until its consumer calls Release, so that the bound
// counts items that wait and items in work. Thread-safe; never blocks.
template <typename T>
class BoundedQueue {
 public:
  // `slots` >= 1.
  explicit BoundedQueue(size_t slots) : slots_(slots) {}

  // Takes `item` over only where it returns kAccepted.
  PushResult TryPush(T&& item) {
    const std::lock_guard lock(mutex_);
    if (closed_) return PushResult::kClosed;
    if (taken_ >= slots_) return PushResult::kFull;
    items_.push_back(std::move(item));
    ++taken_;
    return PushResult::kAccepted;
  }

  // The oldest item, whose slot stays taken; nothing if none waits. Works after Close.
  std::optional<T> TryPop() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  // Gives back the slot of an item that TryPop gave.
  void Release() {
    const std::lock_guard lock(mutex_);
    --taken_;
  }

  // Refuses every later TryPush; what was accepted stays.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

  // Items that wait.
  size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }

  // Slots taken: items that wait and items popped but not released.
  size_t taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  const size_t slots_;
  mutable std::mutex mutex_;
  std::deque<T> items_;
  size_t taken_ = 0;
  bool closed_ = false;
};

}  // namespace telltale
