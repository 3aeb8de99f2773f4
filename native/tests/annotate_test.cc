// The heat map is drawn where the scores are high, on their own scale.
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

// 20 cells of 16 px a side; those of the left half have one score, the others another.
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
  // Without seams between cells.
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
