#include "watermark/watermark.h"

#include <gtest/gtest.h>

#include <cmath>

namespace telltale {
namespace {

Image MakePlain(int width, int height, uint8_t value) {
  Image image{width, height, {}};
  image.pixels.assign(static_cast<size_t>(width) * height * 3, value);
  return image;
}

TEST(MatchThreshold, KeepsChanceMatchesOfAllMessagesUnderOneInABillion) {
  double chance = 0;
  for (const int bits : {32, 46, 48, 64, 136}) {
    double tail = 0;
    double term = std::pow(0.5, bits);
    for (int k = bits; k >= MatchThreshold(bits); --k) {
      tail += term;
      term *= static_cast<double>(k) / (bits - k + 1);
    }
    chance += tail;
  }
  EXPECT_LT(chance, 1e-9);
  EXPECT_GT(chance, 1e-10);
  EXPECT_EQ(MatchThreshold(32), 32);
  EXPECT_EQ(MatchThreshold(48), 45);
}

TEST(FindWatermarks, FindsNothingInPlainOrTinyImages) {
  for (const int value : {0, 37, 128, 255}) {
    EXPECT_TRUE(FindWatermarks(MakePlain(256, 300, static_cast<uint8_t>(value))).empty());
  }
  EXPECT_TRUE(FindWatermarks(MakePlain(7, 7, 10)).empty());
  EXPECT_TRUE(FindWatermarks(MakePlain(8, 8, 10)).empty());
  EXPECT_TRUE(FindWatermarks(MakePlain(1, 4000, 10)).empty());
}

}  // namespace
}  // namespace telltale
