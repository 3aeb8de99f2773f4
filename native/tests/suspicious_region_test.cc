// Tests that the region which looks most generated is found, and that its position is right.
#include "engine/suspicious_region.h"

#include <gtest/gtest.h>

#include <vector>

namespace telltale {
namespace {

TEST(RegionTest, ThePeakIsTheHighestMeanOfNeighbours) {
  // The highest token, 9, must not be chosen, because its neighbours are low.
  const std::vector<float> tokens = {9,  -8, 0, 0,  //
                                     -8, -8, 2, 4,  //
                                     0,  0,  3, 1,  //
                                     0,  0,  0, 0};
  const TokenRegion region = FindRegion(tokens.data(), 4, 2);
  EXPECT_DOUBLE_EQ(region.logit, 2.5);
  EXPECT_EQ(region.column, 2);
  EXPECT_EQ(region.row, 1);
  EXPECT_DOUBLE_EQ(FindRegion(tokens.data(), 4, 1).logit, 9);
  EXPECT_DOUBLE_EQ(FindRegion(tokens.data(), 4, 4).logit, -5.0 / 16);
}

TEST(RegionTest, TheFirstOfEqualsIsThePeak) {
  const std::vector<float> tokens(16, -3);
  const TokenRegion region = FindRegion(tokens.data(), 4, 2);
  EXPECT_DOUBLE_EQ(region.logit, -3);
  EXPECT_EQ(region.column, 0);
  EXPECT_EQ(region.row, 0);
}

TEST(RegionTest, APartLiesWhereItsCropWasCut) {
  // The crop begins 40 px from the left of an image that was shrunk to a quarter.
  const Box box = LocateRegion({0, 2, 1}, 3, {40, 0, 400, 224}, 1600, 896);
  EXPECT_EQ(box.x, (40 + 32) * 4);
  EXPECT_EQ(box.y, 16 * 4);
  EXPECT_EQ(box.width, 48 * 4);
  EXPECT_EQ(box.height, 48 * 4);
}

TEST(RegionTest, APartEndsWithTheImage) {
  // The region extends into padding, beyond the image's width of 150 px.
  const Box box = LocateRegion({0, 8, 0}, 3, {0, 0, 150, 224}, 150, 224);
  EXPECT_EQ(box.x, 128);
  EXPECT_EQ(box.width, 22);
}

TEST(RegionTest, TheLogOddsLieBetweenThoseOfTheTwoMedia) {
  const RegionModel model{0, 3, {2, 3}, {-1, -13}};
  EXPECT_DOUBLE_EQ(RegionLogOdds(model, {4, 0, 0}, 0), 7);
  EXPECT_DOUBLE_EQ(RegionLogOdds(model, {4, 0, 0}, 1), -1);
  EXPECT_DOUBLE_EQ(RegionLogOdds(model, {4, 0, 0}, 0.25), 5);
}

}  // namespace
}  // namespace telltale
