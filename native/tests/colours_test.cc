// Tests that the dominant colours of an image are returned most frequent first.
#include "engine/colours.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace telltale {
namespace {

Image Striped(int width, int height, const std::vector<Colour>& rows) {
  Image image{width, height, {}, false};
  image.pixels.assign(static_cast<size_t>(width) * height * 3, 0);
  for (int y = 0; y < height; ++y) {
    const Colour& colour = rows[static_cast<size_t>(y) * rows.size() / height];
    for (int x = 0; x < width; ++x) std::copy(colour.begin(), colour.end(), image.row(y) + 3 * x);
  }
  return image;
}

TEST(ColoursTest, AreTheMostFrequentOnesFirst) {
  const Colour red{200, 10, 20}, green{10, 220, 30}, blue{5, 5, 250};
  EXPECT_EQ(FindColours(Striped(640, 480, {red, blue, blue, blue, green, green})),
            (std::vector<Colour>{blue, green, red}));
}

TEST(ColoursTest, AreAtMostFourAndAtLeastOne) {
  std::vector<Colour> many;
  for (uint8_t level = 0; level < 8; ++level) many.push_back({static_cast<uint8_t>(level * 32), 0, 0});
  EXPECT_EQ(FindColours(Striped(100, 800, many)).size(), 4u);
  EXPECT_EQ(FindColours(Striped(40, 1, {{7, 8, 9}})), (std::vector<Colour>{{7, 8, 9}}));
  std::vector<Colour> rare;
  for (int red = 0; red < 4; ++red) {
    for (int green = 0; green < 8; ++green)
      rare.push_back({static_cast<uint8_t>(red * 64), static_cast<uint8_t>(green * 32), 0});
  }
  EXPECT_EQ(FindColours(Striped(64, 640, rare)).size(), 1u);
}

}  // namespace
}  // namespace telltale
