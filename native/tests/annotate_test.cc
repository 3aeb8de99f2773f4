// Tests that the heat map is drawn where scores are high, and that its opacity follows the score alone.
#include "engine/annotate.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

Image MakeGrey(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  image.pixels.assign(static_cast<size_t>(width) * height * 3, 120);
  return image;
}

// Returns a heat map of 20 x 20 cells of 16 px. The left half has one score, the right half another.
Annotation MakeHalves(double left, double right) {
  Annotation annotation;
  annotation.long_side_px = 320;
  for (int y = 0; y < 320; y += 16) {
    for (int x = 0; x < 320; x += 16) annotation.patches.push_back({{x, y, 16, 16}, x < 160 ? left : right});
  }
  return annotation;
}

TEST(AnnotateTest, LowScoresLeaveNoTraceHoweverTheyDiffer) {
  const Image plain = MakeGrey(320, 320);
  EXPECT_EQ(Draw(plain, MakeHalves(0.6, 0.01)).pixels, plain.pixels);
}

TEST(AnnotateTest, HeatLiesWhereTheScoreIsHigh) {
  const Image drawn = Draw(MakeGrey(320, 320), MakeHalves(0.95, 0.1));
  const auto red = [&](int x) { return static_cast<int>(drawn.row(160)[x * 3]); };
  EXPECT_GT(red(80), 150);
  EXPECT_EQ(red(240), 120);
  // Every pixel of the left half has the same colour, so that borders between cells are invisible.
  for (int x = 0; x < 120; ++x) EXPECT_EQ(red(x), red(80)) << x;
}

TEST(AnnotateTest, AnImageWithoutPartsStaysAsItIs) {
  const Image plain = MakeGrey(40, 30);
  Annotation annotation;
  annotation.long_side_px = 40;
  EXPECT_EQ(Draw(plain, annotation).pixels, plain.pixels);
}

}  // namespace
}  // namespace telltale
