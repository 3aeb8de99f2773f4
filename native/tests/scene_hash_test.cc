// Tests that scene hashes are similar for copies, different for other images, and absent without detail.
#include "engine/scene_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <string>

#include "crops/embedded_images.h"
#include "engine/annotate.h"
#include "fixtures.h"
#include "image/decode.h"

namespace telltale {
namespace {

Image Grey(int width, int height, const std::function<double(int x, int y)>& level_of) {
  Image image;
  image.width = width;
  image.height = height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      image.pixels.insert(image.pixels.end(), 3,
                          static_cast<uint8_t>(std::clamp(level_of(x, y), 0.0, 255.0)));
  }
  return image;
}

// Returns an image of forty waves. `seed` determines their lengths and directions.
Image Waves(uint32_t seed) {
  struct Wave {
    double x, y, phase, height;
  };
  std::vector<Wave> waves;
  const auto draw = [&] {
    seed = static_cast<uint32_t>(uint64_t{seed} * 48271 % 2147483647);
    return seed / 2147483647.0;
  };
  for (int i = 0; i < 40; ++i) {
    const double frequency = 1 + 14 * draw(), angle = 2 * std::numbers::pi * draw();
    waves.push_back({frequency * std::cos(angle), frequency * std::sin(angle), 6 * draw(), 60 / frequency});
  }
  return Grey(240, 200, [&](int x, int y) {
    double level = 128;
    for (const Wave& wave : waves)
      level += wave.height * std::sin(6.28 * (wave.x * x / 240 + wave.y * y / 200) + wave.phase);
    return level;
  });
}

int Distance(const SceneHash& one, const SceneHash& other) {
  int bits = 0;
  for (size_t word = 0; word < one.size(); ++word) bits += std::popcount(one[word] ^ other[word]);
  return bits;
}

int Nearest(const Image& kept, const Image& query) {
  const SceneHash middle = HashScene(kept).value().middle;
  const Scene scene = HashScene(query).value();
  int least = 256;
  for (const SceneHash& window : scene.windows) least = std::min(least, Distance(middle, window));
  return least;
}

TEST(SceneHashTest, TheBitsAreThoseThatDatabasesKeep) {
  const auto hash_of = [](const char* name) {
    const std::vector<uint8_t> file = ReadFixture(name);
    return HashScene(Decode(file).value()).value();
  };
  const Scene scene = hash_of("images/jpeg/scene.jpg");
  EXPECT_EQ(scene.middle, (SceneHash{0xa24ef164, 0x19fe057b, 0xc79e704d, 0xebbf3082, 0x75425c53, 0x39582997,
                                     0x04ff69bc, 0x60bdd207}));
  ASSERT_EQ(scene.windows.size(), 181u);
  EXPECT_EQ(scene.windows.front(), scene.middle);
  EXPECT_EQ(scene.windows.back(), (SceneHash{0x825ec164, 0xdf9280fe, 0x7d69044b, 0xaeceaa4d, 0x02ed30a6,
                                             0x6285d999, 0x6918dcc5, 0x51834ce9}));
  EXPECT_EQ(hash_of("images/png/rgba_gamma.png").middle,
            (SceneHash{0x8606f16d, 0x18ebf4e9, 0x06cc7245, 0xf3bb1ada, 0x1702dc13, 0xba962ad6, 0x1cbff91c,
                       0x58599615}));
}

TEST(SceneHashTest, ACropOfUpToATenthHashesNearWhicheverOfTheTwoItIs) {
  for (const Box& box : {Box{0, 0, 216, 180}, Box{24, 20, 216, 180}, Box{10, 14, 223, 182}}) {
    for (const uint32_t seed : {1, 2, 3, 4}) {
      const Image whole = Waves(seed), crop = ShrinkToLongSide(CutBox(whole, box), 150);
      EXPECT_LE(Nearest(whole, crop), 40) << seed;
      EXPECT_LE(Nearest(crop, whole), 40) << seed;
    }
  }
}

TEST(SceneHashTest, OtherImagesHashFar) {
  for (uint32_t seed = 1; seed <= 8; ++seed) EXPECT_GT(Nearest(Waves(seed), Waves(seed + 1)), 76) << seed;
}

TEST(SceneHashTest, WhatShowsTooLittleHasNoHash) {
  for (const int level : {0, 128, 255})
    EXPECT_FALSE(HashScene(Grey(64, 64, [&](int, int) { return level; })));
  EXPECT_FALSE(HashScene(Grey(300, 200, [](int x, int y) { return 128 + (x * 7 + y * 5) % 3; })));
  EXPECT_FALSE(HashScene(Grey(64, 64, [](int x, int) { return 128 + x / 16; })));
  EXPECT_FALSE(HashScene(Grey(1, 1, [](int, int) { return 1; })));
}

// Returns an image of a card: `lines` of text in the middle of a plain background.
Image Card(const std::vector<std::string>& lines) {
  Image image = Grey(540, 540, [](int, int) { return 255; });
  cv::Mat pixels(image.height, image.width, CV_8UC3, image.pixels.data());
  int y = 250;
  for (const std::string& line : lines) {
    cv::putText(pixels, line, {110, y}, cv::FONT_HERSHEY_DUPLEX, 1.1, {0, 0, 0}, 2, cv::LINE_AA);
    y += 45;
  }
  return image;
}

TEST(SceneHashTest, AFewLinesOfTextHaveNoHash) {
  for (const auto& lines : std::vector<std::vector<std::string>>{
           {"Mayor resigns", "after audit"}, {"School closed", "on Monday"}, {"Storm warning"}})
    EXPECT_FALSE(HashScene(Card(lines))) << lines.front();
}

TEST(SceneHashTest, APageOfTextIsFlatAndWavesAreNot) {
  std::vector<std::string> lines(7, "The harbour strike");
  const std::optional<Scene> page = HashScene(Card(lines));
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->is_flat);
  EXPECT_FALSE(HashScene(Waves(1))->is_flat);
}

TEST(SceneHashTest, FindsWhereInItsOriginalACropLies) {
  const Image whole = Waves(5);
  const Box box{90, 20, 132, 160};
  const Image crop = CutBox(whole, box);
  const SceneSearch search{HashScene(crop).value().middle, (132.0 / 160) / (240.0 / 200)};
  const SceneLocation found = LocateScene(whole, search);
  EXPECT_LT(found.difference, 0.15);
  EXPECT_NEAR(found.crop[0], 90.0 / 240, 0.04);
  EXPECT_NEAR(found.crop[1], 20.0 / 200, 0.04);
  EXPECT_NEAR(found.crop[2], 132.0 / 240, 0.04);
  EXPECT_NEAR(found.crop[3], 160.0 / 200, 0.04);
  EXPECT_GT(LocateScene(Waves(6), search).difference, 0.25);
  EXPECT_EQ(LocateScene(whole, {HashScene(whole).value().middle, 1}).difference, 0);
}

}  // namespace
}  // namespace telltale
