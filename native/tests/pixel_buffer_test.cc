// Tests of memory for pixels, in small and large blocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "image/image.h"

namespace telltale {
namespace {

TEST(PixelBuffer, HoldsBlocksOnBothSidesOfTheLimit) {
  for (const size_t size : {size_t{1}, kFreshBlockBytes - 1, kFreshBlockBytes, kFreshBlockBytes + 1}) {
    PixelBuffer pixels;
    pixels.resize(size);
    pixels.front() = 7;
    pixels.back() = 9;
    const PixelBuffer moved = std::move(pixels);
    EXPECT_EQ(moved.size(), size);
    EXPECT_EQ(moved.back(), 9);
    EXPECT_EQ(moved.front(), size == 1 ? 9 : 7);
  }
}

TEST(PixelBuffer, PutsLargeBlocksOnHugePages) {
  PixelBuffer pixels;
  pixels.resize(kFreshBlockBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pixels.data()) % kHugePageBytes, 0U);
  pixels.resize(2 * kFreshBlockBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pixels.data()) % kHugePageBytes, 0U);
}

TEST(PixelBuffer, FillsWhereAValueIsGiven) {
  const PixelBuffer pixels(kFreshBlockBytes + 5, 3);
  EXPECT_EQ(pixels[kFreshBlockBytes], 3);
}

}  // namespace
}  // namespace telltale
