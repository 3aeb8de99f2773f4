// Tests that the engine finds the same embedded images as the training code, which wrote
// test/fixtures/embedded_images.json.
#include "crops/embedded_images.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace telltale {
namespace {

constexpr int kMinPx = 224;

Image Blank(int width, int height, uint8_t grey) {
  Image image;
  image.width = width;
  image.height = height;
  image.pixels.assign(static_cast<size_t>(width) * height * 3, grey);
  return image;
}

// Fills `box` with pixels that contain no straight lines, as the training code does.
void Fill(Image* image, const Box& box, int seed) {
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x) {
      uint8_t* pixel = image->row(y) + x * 3;
      for (int c = 0; c < 3; ++c)
        pixel[c] = static_cast<uint8_t>((seed * 89 + c * 40 + (x - box.x) / 8 + (y - box.y) / 8) % 256);
    }
  }
}

std::string Text(const std::vector<Box>& boxes) {
  std::string text;
  for (const Box& box : boxes)
    text += "[" + std::to_string(box.x) + "," + std::to_string(box.y) + "," + std::to_string(box.width) +
            "," + std::to_string(box.height) + "]";
  return text;
}

std::vector<Box> ReadBoxes(const cv::FileNode& node) {
  std::vector<Box> boxes;
  for (const cv::FileNode& box : node) {
    const auto number = [&](int at) { return static_cast<int>(box[at]); };
    boxes.push_back({number(0), number(1), number(2), number(3)});
  }
  return boxes;
}

TEST(EmbeddedImagesTest, AgreesWithTrainingOnEveryGoldenCase) {
  const cv::FileStorage file(TELLTALE_SOURCE_DIR "/test/fixtures/panels.json", cv::FileStorage::READ);
  ASSERT_TRUE(file.isOpened());
  ASSERT_GT(file["cases"].size(), 0U);
  for (const cv::FileNode& golden : file["cases"]) {
    Image image = Blank(static_cast<int>(golden["width"]), static_cast<int>(golden["height"]), 255);
    int seed = 0;
    for (const Box& box : ReadBoxes(golden["pictures"])) Fill(&image, box, ++seed);
    EXPECT_EQ(Text(FindEmbeddedImages(image, kMinPx)), Text(ReadBoxes(golden["panels"])))
        << static_cast<std::string>(golden["name"]);
  }
}

TEST(EmbeddedImagesTest, WhatIsSmallerThanAEmbeddedImageIsNone) {
  Image image = Blank(700, 400, 255);
  Fill(&image, {0, 0, 230, 400}, 1);
  Fill(&image, {230, 0, 470, 400}, 2);
  EXPECT_EQ(FindEmbeddedImages(image, 200).size(), 2U);
  EXPECT_EQ(FindEmbeddedImages(image, 240).size(), 1U);
  EXPECT_TRUE(FindEmbeddedImages(image, 480).empty());
}

TEST(EmbeddedImagesTest, NoiseAndNothingHaveNoLines) {
  EXPECT_TRUE(FindEmbeddedImages(Blank(640, 480, 128), kMinPx).empty());
  Image noise = Blank(640, 480, 0);
  uint32_t state = 1;
  for (uint8_t& sample : noise.pixels)
    sample = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  EXPECT_TRUE(FindEmbeddedImages(noise, kMinPx).empty());
}

TEST(EmbeddedImagesTest, TheExtremesOfAShapeAreTakenInStride) {
  EXPECT_TRUE(FindEmbeddedImages(Blank(32768, 256, 9), kMinPx).empty());
  EXPECT_TRUE(FindEmbeddedImages(Blank(2, 2, 9), kMinPx).empty());
  EXPECT_TRUE(FindEmbeddedImages(Blank(1, 300, 9), 1).empty());
}

TEST(EmbeddedImagesTest, ACutHasThePixelsOfItsBox) {
  Image image = Blank(300, 300, 7);
  Fill(&image, {40, 50, 100, 60}, 3);
  const Image cut = CutBox(image, {40, 50, 100, 60});
  EXPECT_EQ(cut.width, 100);
  EXPECT_EQ(cut.height, 60);
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 100; ++x) ASSERT_EQ(cut.row(y)[x * 3 + 1], image.row(50 + y)[(40 + x) * 3 + 1]);
}

}  // namespace
}  // namespace telltale
