// Tests that the heat map is drawn where scores are high, that its opacity follows the score alone, and that
// flagged faces are enlarged.
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

TEST(AnnotateTest, AFlaggedFaceIsEnlargedNextToTheImage) {
  Image image = MakeGrey(320, 200);
  // A face of one green.
  for (int y = 40; y < 80; ++y) {
    for (int x = 200; x < 240; ++x) image.pixels[(static_cast<size_t>(y) * 320 + x) * 3 + 1] = 250;
  }
  Annotation annotation;
  annotation.faces = {{{200, 40, 40, 40}, "", false}};
  annotation.long_side_px = 320;
  EXPECT_EQ(Draw(image, annotation).width, 320);
  annotation.faces[0].alarm = true;
  annotation.long_side_px = 520;
  const Image drawn = Draw(image, annotation);
  EXPECT_EQ(drawn.width, 520);
  EXPECT_EQ(drawn.height, 200);
  // The face covers two thirds of the square on the right.
  const auto green = [&](int x, int y) { return static_cast<int>(drawn.row(y)[x * 3 + 1]); };
  EXPECT_EQ(green(420, 100), 250);
  EXPECT_EQ(green(420 - 60, 100), 250);
  EXPECT_EQ(green(420 - 75, 100), 120);
  // The left part is the unchanged image, except for the outline of the face.
  EXPECT_EQ(green(10, 100), 120);
  EXPECT_EQ(green(220, 60), 250);
}

TEST(AnnotateTest, EnlargedFacesStayWithinTheMaximumSideAndTheImage) {
  for (const auto& [width, height] : {std::pair{90, 300}, std::pair{300, 90}, std::pair{1, 1}}) {
    Annotation annotation;
    annotation.long_side_px = 120;
    for (int at = 0; at < 4; ++at) {
      annotation.faces.push_back({{-5, -5, width + 10, height + 10}, "0.9", true});
      const Image drawn = Draw(MakeGrey(width, height), annotation);
      EXPECT_LE(std::max(drawn.width, drawn.height), std::max(120, 2));
      EXPECT_GT(drawn.width, std::min(width, 120 * width / std::max(width, height)) / 3);
    }
  }
}

TEST(AnnotateTest, AnImageWithoutPartsStaysAsItIs) {
  const Image plain = MakeGrey(40, 30);
  Annotation annotation;
  annotation.long_side_px = 40;
  EXPECT_EQ(Draw(plain, annotation).pixels, plain.pixels);
}

}  // namespace
}  // namespace telltale
