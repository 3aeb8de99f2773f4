// The in-memory image that all native parts share.
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

// Size from which glibc requests every block from the kernel and returns it on free.
inline constexpr size_t kFreshBlockBytes = size_t{32} << 20;
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// std::allocator, except that elements without a value stay uninitialised. A decoder writes every pixel
// anyway, and zeroing a large image costs as much as a fast codec's row loop. Large blocks also request huge
// pages: touching 36 MB took 20 ms in normal pages and 4 ms in huge pages (bench/NOTES.md).
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
    // Only advice: without huge pages the program is slower but correct.
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

// Samples of an image. `resize(n)` leaves new samples uninitialised; `assign(n, v)` fills them.
using PixelBuffer = std::vector<uint8_t, UninitializedAllocator<uint8_t>>;

// An upright image: RGB, 8 bits per channel, rows packed (stride = width * 3), alpha composited over white,
// EXIF orientation applied.
struct Image {
  int width = 0;       // pixels
  int height = 0;      // pixels
  PixelBuffer pixels;  // height * width * 3 bytes
  // True if the file's alpha is 0 everywhere: the pixels are the hidden colours, which no viewer shows.
  bool is_transparent = false;

  // Returns the first sample of row y. Requires 0 <= y < height.
  const uint8_t* row(int y) const { return pixels.data() + static_cast<size_t>(y) * width * 3; }
  uint8_t* row(int y) { return pixels.data() + static_cast<size_t>(y) * width * 3; }
};

// A file in memory; never owned.
using Bytes = std::span<const uint8_t>;

}  // namespace telltale
