// The part of an image that looks most generated, and where it lies.
#include "engine/part.h"

#include <gtest/gtest.h>

#include <vector>

namespace telltale {
namespace {

TEST(PartTest, ThePeakIsTheHighestMeanOfNeighbours) {
  // The highest token of all has low neighbours.
  const std::vector<float> tokens = {9,  -8, 0, 0,  //
                                     -8, -8, 2, 4,  //
                                     0,  0,  3, 1,  //
                                     0,  0,  0, 0};
  const Peak peak = FindPeak(tokens.data(), 4, 2);
  EXPECT_DOUBLE_EQ(peak.logit, 2.5);
  EXPECT_EQ(peak.column, 2);
  EXPECT_EQ(peak.row, 1);
  EXPECT_DOUBLE_EQ(FindPeak(tokens.data(), 4, 1).logit, 9);
  EXPECT_DOUBLE_EQ(FindPeak(tokens.data(), 4, 4).logit, -5.0 / 16);
}

TEST(PartTest, TheFirstOfEqualsIsThePeak) {
  const std::vector<float> tokens(16, -3);
  const Peak peak = FindPeak(tokens.data(), 4, 2);
  EXPECT_DOUBLE_EQ(peak.logit, -3);
  EXPECT_EQ(peak.column, 0);
  EXPECT_EQ(peak.row, 0);
}

TEST(PartTest, APartLiesWhereItsViewWasCut) {
  // The view begins 40 px into an image shrunk to a quarter.
  const Box box = LocatePeak({0, 2, 1}, 3, {40, 0, 400, 224}, 1600, 896);
  EXPECT_EQ(box.x, (40 + 32) * 4);
  EXPECT_EQ(box.y, 16 * 4);
  EXPECT_EQ(box.width, 48 * 4);
  EXPECT_EQ(box.height, 48 * 4);
}

TEST(PartTest, APartEndsWithThePicture) {
  // Padding lies beyond the 150 px of the image's width.
  const Box box = LocatePeak({0, 8, 0}, 3, {0, 0, 150, 224}, 150, 224);
  EXPECT_EQ(box.x, 128);
  EXPECT_EQ(box.width, 22);
}

TEST(PartTest, TheLogOddsLieBetweenThoseOfTheTwoMedia) {
  const PartModel model{0, 3, {2, 3}, {-1, -13}};
  EXPECT_DOUBLE_EQ(PartLogOdds(model, {4, 0, 0}, 0), 7);
  EXPECT_DOUBLE_EQ(PartLogOdds(model, {4, 0, 0}, 1), -1);
  EXPECT_DOUBLE_EQ(PartLogOdds(model, {4, 0, 0}, 0.25), 5);
}

}  // namespace
}  // namespace telltale
