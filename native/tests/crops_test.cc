// Tests that the engine cuts the same crops as the training code, which wrote test/fixtures/crops.json.
#include "crops/crops.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <opencv2/core.hpp>

namespace telltale {
namespace {

// Returns the image by whose crops engine and training code are compared.
Image MakeImage(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  image.pixels.resize(static_cast<size_t>(width) * height * 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const uint32_t hash = (static_cast<uint32_t>(x) * 73856093U) ^ (static_cast<uint32_t>(y) * 19349663U);
      const int strength = (x / 64 * 5 + y / 64 * 3) % 16;
      const int green = 128 + (static_cast<int>(hash / 256 % 16) - 8) * strength;
      uint8_t* pixel = image.row(y) + x * 3;
      pixel[0] = static_cast<uint8_t>(255 - green);
      pixel[1] = static_cast<uint8_t>(green);
      pixel[2] = static_cast<uint8_t>(green / 2);
    }
  }
  return image;
}

constexpr int kSizePx = 224;

TEST(CropsTest, AgreesWithTrainingOnEveryGoldenCase) {
  const cv::FileStorage file(TELLTALE_SOURCE_DIR "/test/fixtures/views.json", cv::FileStorage::READ);
  ASSERT_TRUE(file.isOpened());
  const cv::FileNode cases = file["cases"];
  ASSERT_GT(cases.size(), 0U);
  for (const cv::FileNode& golden : cases) {
    const Image image = MakeImage(static_cast<int>(golden["width"]), static_cast<int>(golden["height"]));
    const int short_side_px = static_cast<int>(golden["short_side_px"]);
    const int count = static_cast<int>(golden["count"]);
    SCOPED_TRACE(std::to_string(image.width) + "x" + std::to_string(image.height) + " at " +
                 std::to_string(short_side_px));
    const bool shrinks = short_side_px > 0 && std::min(image.width, image.height) > short_side_px;
    const Image scaled = shrinks ? ShrinkShortSide(image, short_side_px) : image;
    EXPECT_EQ(scaled.width, static_cast<int>(golden["scaled"][0]));
    EXPECT_EQ(scaled.height, static_cast<int>(golden["scaled"][1]));
    const auto places = ChoosePlaces(PadToSize(scaled, kSizePx), kSizePx, count);
    ASSERT_EQ(places.size(), golden["places"].size());
    for (size_t i = 0; i < places.size(); ++i) {
      const cv::FileNode place = golden["places"][static_cast<int>(i)];
      EXPECT_EQ(places[i].x, static_cast<int>(place[0])) << i;
      EXPECT_EQ(places[i].y, static_cast<int>(place[1])) << i;
    }

    Crops crops = CutCrops(image, {{short_side_px, count}}, kSizePx);
    ASSERT_EQ(crops.pixels.rows, static_cast<int>(places.size()));
    ASSERT_EQ(crops.places.size(), places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(crops.places[i].x, places[i].x) << i;
      EXPECT_EQ(crops.places[i].y, places[i].y) << i;
      EXPECT_EQ(crops.places[i].width, scaled.width) << i;
      EXPECT_EQ(crops.places[i].height, scaled.height) << i;
    }
    for (const cv::FileNode& expected : golden["pixels"]) {
      const int x = static_cast<int>(expected["x"]);
      const int y = static_cast<int>(expected["y"]);
      const uint8_t* pixel = crops.pixels.row(static_cast<int>(expected["view"])) + (y * kSizePx + x) * 3;
      for (int c = 0; c < 3; ++c) {
        // Pixels of shrunken images may be rounded differently. Pixels at native resolution are equal.
        EXPECT_LE(std::abs(pixel[c] - static_cast<int>(expected["rgb"][c])), shrinks ? 2 : 0)
            << x << "," << y << " channel " << c;
      }
    }
  }
}

TEST(CropsTest, NeverExceedsTheCountNorTheImage) {
  for (const auto& [width, height] :
       {std::pair{256, 4000}, {4000, 256}, {257, 300}, {2048, 2048}, {90, 70}, {1, 1}, {3000, 1}}) {
    const Image image = MakeImage(width, height);
    for (const int count : {1, 2, 7}) {
      const Crops crops = CutCrops(image, {{224, 1}, {320, count}, {0, count}}, kSizePx);
      ASSERT_EQ(crops.type_counts.size(), 3U);
      int rows = 0;
      for (const int of_kind : crops.type_counts) {
        EXPECT_GE(of_kind, 1);
        EXPECT_LE(of_kind, count);
        rows += of_kind;
      }
      EXPECT_EQ(crops.pixels.rows, rows);
      EXPECT_EQ(crops.pixels.pixels.size(), crops.pixels.row_size() * rows);
      ASSERT_EQ(crops.places.size(), static_cast<size_t>(rows));
      for (const CropPlace& place : crops.places) {
        EXPECT_GE(place.x, 0);
        EXPECT_GE(place.y, 0);
        EXPECT_LE(place.x + kSizePx, std::max(kSizePx, place.width));
        EXPECT_LE(place.y + kSizePx, std::max(kSizePx, place.height));
      }
    }
  }
}

TEST(CropsTest, PlacesAreInPixelsOfTheirKind) {
  const Crops crops = CutCrops(MakeImage(1280, 640), {{320, 8}, {0, 1}}, kSizePx);
  ASSERT_GE(crops.places.size(), 2U);
  EXPECT_EQ(crops.places.front().width, 640);
  EXPECT_EQ(crops.places.front().height, 320);
  EXPECT_EQ(crops.places.back().width, 1280);
}

TEST(CropsTest, TakesTheFirstOfEquals) {
  Image flat;
  flat.width = 500;
  flat.height = 400;
  flat.pixels.assign(static_cast<size_t>(flat.width) * flat.height * 3, 90);
  const auto places = ChoosePlaces(flat, 128, 2);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].x, 0);
  EXPECT_EQ(places[0].y, 0);
  EXPECT_EQ(places[1].x, 250);
  EXPECT_EQ(places[1].y, 0);
}

TEST(CropsTest, PadsByReflectionWithoutRepeatingTheEdge) {
  Image image;
  image.width = 3;
  image.height = 1;
  image.pixels = {10, 11, 12, 20, 21, 22, 30, 31, 32};
  const Image padded = PadToSize(image, 6);
  EXPECT_EQ(padded.width, 6);
  EXPECT_EQ(padded.height, 6);
  const int expected[] = {10, 20, 30, 20, 10, 20};
  for (int x = 0; x < 6; ++x) EXPECT_EQ(padded.row(5)[x * 3], expected[x]) << x;
}

TEST(CropsTest, CropsOfOneColourAreBlank) {
  PixelBatch crops(2, 4, 4);
  // Every pixel has the same colour, whose channels differ: an image that is red everywhere is blank.
  for (size_t at = 0; at < crops.pixels.size(); at += 3) crops.pixels[at] = 200;
  EXPECT_TRUE(AreBlank(crops));
  crops.row(0)[0] = 203;
  crops.row(1)[3] = 197;
  EXPECT_TRUE(AreBlank(crops)) << "a codec's noise";
  crops.row(1)[3] = 196;
  EXPECT_FALSE(AreBlank(crops)) << "the views hold each other's pixels";
  EXPECT_FALSE(AreBlank(PixelBatch()));
}

}  // namespace
}  // namespace telltale
