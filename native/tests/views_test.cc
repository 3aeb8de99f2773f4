// Patches are chosen as training chooses them: test/fixtures/patch_selection.json.
#include "engine/patches.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>

namespace telltale {
namespace {

// The picture that the fixture describes.
Image MakePicture(int width, int height) {
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

TEST(PatchesTest, AgreesWithTrainingOnEveryGoldenCase) {
  const cv::FileStorage file(TELLTALE_SOURCE_DIR "/test/fixtures/patch_selection.json",
                             cv::FileStorage::READ);
  ASSERT_TRUE(file.isOpened());
  const cv::FileNode cases = file["cases"];
  ASSERT_GT(cases.size(), 0U);
  for (const cv::FileNode& golden : cases) {
    const int size_px = static_cast<int>(golden["size_px"]);
    const Image picture = MakePicture(static_cast<int>(golden["width"]), static_cast<int>(golden["height"]));
    SCOPED_TRACE(std::to_string(picture.width) + "x" + std::to_string(picture.height));
    const auto boxes =
        SelectPatches(PadToSize(picture, size_px), size_px, static_cast<int>(golden["max_patches"]));
    ASSERT_EQ(boxes.size(), golden["patches"].size());
    for (size_t i = 0; i < boxes.size(); ++i) {
      const cv::FileNode place = golden["patches"][static_cast<int>(i)];
      EXPECT_EQ(boxes[i].x, static_cast<int>(place[0])) << i;
      EXPECT_EQ(boxes[i].y, static_cast<int>(place[1])) << i;
    }
  }
}

TEST(PatchesTest, NeverExceedsTheMostPatchesNorThePicture) {
  for (const auto& [width, height] :
       {std::pair{256, 4000}, {4000, 256}, {257, 300}, {2048, 2048}, {128, 128}}) {
    const Image picture = MakePicture(width, height);
    for (const int most : {1, 2, 7, 16}) {
      const auto boxes = SelectPatches(picture, 128, most);
      EXPECT_LE(boxes.size(), static_cast<size_t>(most));
      EXPECT_GE(boxes.size(), 1U);
      for (const Box& box : boxes) {
        EXPECT_GE(box.x, 0);
        EXPECT_GE(box.y, 0);
        EXPECT_LE(box.x + 128, width);
        EXPECT_LE(box.y + 128, height);
      }
    }
  }
}

TEST(PatchesTest, TakesTheFirstOfEquals) {
  Image flat;
  flat.width = 500;
  flat.height = 400;
  flat.pixels.assign(static_cast<size_t>(flat.width) * flat.height * 3, 90);
  const auto boxes = SelectPatches(flat, 128, 2);
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].x, 0);
  EXPECT_EQ(boxes[0].y, 0);
  EXPECT_EQ(boxes[1].x, 250);
  EXPECT_EQ(boxes[1].y, 0);
}

TEST(PatchesTest, PadsByReflectionWithoutRepeatingTheEdge) {
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

TEST(PatchesTest, CopiesNativePixels) {
  const Image picture = MakePicture(50, 40);
  std::vector<uint8_t> patch(8 * 8 * 3);
  CopyPatch(picture, {30, 21, 8, 8}, patch.data());
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 24; ++x) EXPECT_EQ(patch[y * 24 + x], picture.row(21 + y)[90 + x]);
  }
}

}  // namespace
}  // namespace telltale
