// Makes operator new fail on the calling thread, as if memory had run out.
#pragma once

namespace telltale {

// While it lives, the calling thread gets `allocations` more blocks from operator new and no further one.
class ScarceMemory {
 public:
  explicit ScarceMemory(int allocations);
  ~ScarceMemory();
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;

  // Whether an allocation has failed.
  static bool HasFailed();
};

}  // namespace telltale
