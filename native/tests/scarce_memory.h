// Making operator new fail on the calling thread, as if memory had run out.
#pragma once

namespace telltale {

// While this object exists, operator new succeeds `allocations` times on the calling thread, and then fails.
class ScarceMemory {
 public:
  explicit ScarceMemory(int allocations);
  ~ScarceMemory();
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;

  // Returns true if an allocation has failed.
  static bool HasFailed();
};

}  // namespace telltale
