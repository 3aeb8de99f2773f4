#include "visible_marks/visible_marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "visible_marks/drawing.h"

namespace telltale {
namespace {

Image MakePlain(int width, int height, uint8_t value) {
  Image image{width, height, {}};
  image.pixels.assign(static_cast<size_t>(width) * height * 3, value);
  return image;
}

// Draws a sign in half-transparent white onto the image, with `scale` pixels per unit of the drawing.
void Lay(const Drawing& drawing, int left, int top, double scale, Image* image) {
  for (int y = 0; y < drawing.height * scale; ++y) {
    for (int x = 0; x < drawing.width * scale; ++x) {
      if (!drawing.covers((x + 0.5) / scale, (y + 0.5) / scale)) continue;
      uint8_t* pixel = image->row(top + y) + 3 * (left + x);
      for (int channel = 0; channel < 3; ++channel) pixel[channel] = (pixel[channel] + 255) / 2;
    }
  }
}

Image MakeNoise(int side, int contrast) {
  Image image = MakePlain(side, side, 100);
  std::mt19937 random(7);
  for (uint8_t& sample : image.pixels) sample += random() % contrast;
  return image;
}

TEST(FindVisibleMarks, FindsEachSignWhereItIsDrawnAndNoOther) {
  struct Case {
    Drawing drawing;
    int left, top;
    const char* sign;
  };
  const Case cases[] = {{DrawSparkle(), 720 - 80, 720 - 80, "four-pointed star"},
                        {DrawAiPill(), 1536 - 160, 1536 - 134, "pill with ai"},
                        {DrawGrok(), 720 - 77, 720 - 36, "ring and name"}};
  for (const Case& drawn : cases) {
    Image image = MakeNoise(drawn.drawing.width == 96 ? 1536 : 720, 20);
    Lay(drawn.drawing, drawn.left, drawn.top, 1, &image);
    const auto found = FindVisibleMarks(image);
    ASSERT_EQ(found.size(), 1U) << drawn.sign;
    EXPECT_STREQ(found[0].sign, drawn.sign);
    EXPECT_NEAR(found[0].box.x, drawn.left, 3);
    EXPECT_NEAR(found[0].box.y, drawn.top, 3);
    EXPECT_NEAR(found[0].box.width, drawn.drawing.width, 5);
    EXPECT_GT(found[0].score, 0.6F);
  }
}

TEST(FindVisibleMarks, FindsNothingInPlainTinyNarrowOrNoisyImages) {
  for (const int value : {0, 37, 128, 255}) {
    EXPECT_TRUE(FindVisibleMarks(MakePlain(300, 256, static_cast<uint8_t>(value))).empty());
  }
  EXPECT_TRUE(FindVisibleMarks(MakePlain(1, 1, 10)).empty());
  EXPECT_TRUE(FindVisibleMarks(MakePlain(1, 4000, 10)).empty());
  EXPECT_TRUE(FindVisibleMarks(MakePlain(4000, 1, 10)).empty());
  EXPECT_TRUE(FindVisibleMarks(MakeNoise(512, 150)).empty());
}

}  // namespace
}  // namespace telltale
