// Tests that the engine makes the same heat map as the training code, which wrote
// test/fixtures/heat_map.json.
#include "engine/heat_map.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/core.hpp>

namespace telltale {
namespace {

constexpr int kSideTokens = 14;
constexpr int kTokens = kSideTokens * kSideTokens;

// Returns the logits from which engine and training code make their heat maps.
std::vector<float> MakeTokens(size_t crops) {
  std::vector<float> tokens;
  for (uint32_t crop = 0; crop < crops; ++crop) {
    for (uint32_t token = 0; token < kTokens; ++token) {
      const uint32_t hash = (crop * 73856093U) ^ (token * 19349663U);
      tokens.push_back((static_cast<float>(hash / 256 % 64) - 32) / 4);
    }
  }
  return tokens;
}

int At(const cv::FileNode& node, int index) { return static_cast<int>(node[index]); }

TEST(HeatMapTest, AgreesWithTrainingOnEveryGoldenCase) {
  const cv::FileStorage file(TELLTALE_SOURCE_DIR "/test/fixtures/heat_map.json", cv::FileStorage::READ);
  ASSERT_TRUE(file.isOpened());
  ASSERT_GT(file["cases"].size(), 0U);
  for (const cv::FileNode& golden : file["cases"]) {
    const int width = static_cast<int>(golden["width"]);
    const int height = static_cast<int>(golden["height"]);
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    std::vector<CropPlace> places;
    for (const cv::FileNode& crop : golden["views"])
      places.push_back({At(crop, 0), At(crop, 1), At(crop, 2), At(crop, 3)});
    const auto cells = MakeHeatMap(MakeTokens(places.size()), kSideTokens, places, width, height);
    ASSERT_EQ(cells.size(), golden["boxes"].size());
    for (size_t i = 0; i < cells.size(); ++i) {
      const cv::FileNode box = golden["boxes"][static_cast<int>(i)];
      EXPECT_EQ(cells[i].box.x, At(box, 0)) << i;
      EXPECT_EQ(cells[i].box.y, At(box, 1)) << i;
      EXPECT_EQ(cells[i].box.width, At(box, 2)) << i;
      EXPECT_EQ(cells[i].box.height, At(box, 3)) << i;
      EXPECT_NEAR(cells[i].logit, static_cast<double>(golden["logits"][static_cast<int>(i)]), 1e-6) << i;
    }
  }
}

// Two crops of an image of 32 px: the whole, and the upper right quarter at double size. Both have 2 x 2
// tokens.
TEST(HeatMapTest, CropsThatShowTheSamePartAreJoinedByTheirArea) {
  const std::vector<float> tokens = {1, 2, 3, 4, 10, 10, 10, 10};
  const auto cells = MakeHeatMap(tokens, 2, {{0, 0, 32, 32}, {32, 0, 64, 64}}, 32, 32);
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_DOUBLE_EQ(cells[0].logit, 1);
  EXPECT_DOUBLE_EQ(cells[1].logit, (2 + 10) / 2.0);
  EXPECT_DOUBLE_EQ(cells[2].logit, 3);
  EXPECT_DOUBLE_EQ(cells[3].logit, 4);
}

TEST(HeatMapTest, LeavesOutCellsThatNoCropShowsHalfOf) {
  // The crop covers 7/16, 16/16 and 9/16 of the three cells.
  const auto cells = MakeHeatMap({1, 1, 2, 2}, 2, {{9, 0, 48, 16}}, 48, 16);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].box.x, 16);
  EXPECT_EQ(cells[1].box.x, 32);
}

TEST(HeatMapTest, BoxesLieInAnyImageWithoutOverlap) {
  for (const auto& [width, height] : {std::pair{1, 1}, {3000, 1}, {257, 300}, {32768, 300}, {4000, 3000}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    const auto cells = MakeHeatMap(MakeTokens(1), kSideTokens, {{0, 0, width, height}}, width, height);
    int64_t area = 0;
    for (const HeatMapCell& cell : cells) {
      EXPECT_GE(std::min(cell.box.width, cell.box.height), 1);
      EXPECT_LE(cell.box.x + cell.box.width, width);
      EXPECT_LE(cell.box.y + cell.box.height, height);
      area += static_cast<int64_t>(cell.box.width) * cell.box.height;
    }
    EXPECT_FALSE(cells.empty());
    EXPECT_LE(area, static_cast<int64_t>(width) * height);
  }
}

}  // namespace
}  // namespace telltale
