// Replaces operator new in the test program, so that tests can make allocations fail.
#include "tests/scarce_memory.h"

#include <cstdlib>
#include <new>

namespace telltale {
namespace {

constexpr int kUnlimited = -1;

thread_local int allocations_left = kUnlimited;
thread_local bool has_failed = false;

}  // namespace

ScarceMemory::ScarceMemory(int allocations) {
  has_failed = false;
  allocations_left = allocations;
}

ScarceMemory::~ScarceMemory() { allocations_left = kUnlimited; }

bool ScarceMemory::HasFailed() { return has_failed; }

}  // namespace telltale

void* operator new(std::size_t size) {
  using namespace telltale;
  if (allocations_left == 0) has_failed = true;
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  void* const block = std::malloc(size > 0 ? size : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

// Without this definition, AddressSanitizer would allocate these blocks itself, but the operator delete below
// would free them.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
