// The image in memory that all native code works on.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace telltale {

// Size in bytes from which glibc requests each block from the kernel and returns it when it is freed.
inline constexpr size_t kFreshBlockBytes = size_t{32} << 20;
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// An allocator that leaves new elements uninitialised. Decoders write every pixel anyway, and zeroing a large
// image takes as long as a fast decoder's main loop. For large blocks, the allocator also asks the kernel for
// huge pages: touching 36 MB took 20 ms in normal pages and 4 ms in huge pages (bench/NOTES.md).
template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  UninitializedAllocator() = default;
  template <typename U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}

  T* allocate(size_t count) {
    const size_t size = count * sizeof(T);
    if (size < kFreshBlockBytes) return std::allocator<T>::allocate(count);
    const size_t whole_pages = (size + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    void* const block = std::aligned_alloc(kHugePageBytes, whole_pages);
    if (block == nullptr) throw std::bad_alloc();
    // The call is only advice to the kernel. If it fails, the program is slower but correct.
    madvise(block, whole_pages, MADV_HUGEPAGE);
    return static_cast<T*>(block);
  }
  void deallocate(T* block, size_t count) {
    if (count * sizeof(T) < kFreshBlockBytes) return std::allocator<T>::deallocate(block, count);
    std::free(block);
  }

  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

// Samples per pixel: red, green, blue.
inline constexpr int kChannels = 3;

// Samples of an image. `resize(n)` leaves new samples uninitialised, and `assign(n, v)` fills them.
using PixelBuffer = std::vector<uint8_t, UninitializedAllocator<uint8_t>>;

// An image turned upright: 8-bit RGB, rows without padding, transparency composited over white.
struct Image {
  int width = 0;       // pixels
  int height = 0;      // pixels
  PixelBuffer pixels;  // height * width * 3 bytes
  // True if the file is fully transparent. The pixels then have its hidden colours, which no viewer shows.
  bool is_transparent = false;

  // Returns the first sample of row y. Requires 0 <= y < height.
  const uint8_t* row(int y) const { return pixels.data() + static_cast<size_t>(y) * width * 3; }
  uint8_t* row(int y) { return pixels.data() + static_cast<size_t>(y) * width * 3; }
};

// Bytes of a file in memory, which somebody else owns.
using Bytes = std::span<const uint8_t>;

}  // namespace telltale
