// Tests that the quality of a JPEG is estimated correctly for files of real encoders at every setting.
#include "image/jpeg_quality.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "image/sniff.h"
#include "tests/fixtures.h"

namespace telltale {
namespace {

// Returns the estimated qualities of the hundred files in jpeg_quality/`encoder`.jpgs, by their setting.
std::vector<int> Estimates(const std::string& encoder) {
  const std::vector<uint8_t> files = ReadFixture("jpeg_quality/" + encoder + ".jpgs");
  const std::vector<uint8_t> border = {0xFF, 0xD9, 0xFF, 0xD8, 0xFF};
  std::vector<int> estimates;
  auto start = files.begin();
  while (start != files.end()) {
    auto end = std::search(start, files.end(), border.begin(), border.end());
    if (end != files.end()) end += 2;
    const Result<SniffedImage> sniffed = Sniff({start, end});
    EXPECT_TRUE(sniffed.ok()) << sniffed.status().message();
    estimates.push_back(sniffed.ok() ? sniffed.value().jpeg_quality : 0);
    start = end;
  }
  return estimates;
}

class StandardTables : public testing::TestWithParam<const char*> {};

TEST_P(StandardTables, GiveBackTheQualityThatTheEncoderWasTold) {
  const std::vector<int> estimates = Estimates(GetParam());
  ASSERT_EQ(estimates.size(), 100u);
  for (int quality = 1; quality <= 100; ++quality) EXPECT_EQ(estimates[quality - 1], quality);
}

INSTANTIATE_TEST_SUITE_P(Encoders, StandardTables,
                         testing::Values("pillow", "libjpeg", "libjpeg_baseline_grey", "imagemagick",
                                         "mozjpeg_annex_k"),
                         [](const auto& info) { return std::string(info.param); });

TEST(OtherTables, GiveACloseQualityThatRisesWithTheSetting) {
  const std::vector<int> estimates = Estimates("mozjpeg_own_tables");
  ASSERT_EQ(estimates.size(), 100u);
  EXPECT_TRUE(std::is_sorted(estimates.begin(), estimates.end()));
  // mozjpeg has its own tables, so its scale of quality is only close to the standard scale.
  for (int quality = 1; quality <= 100; ++quality) EXPECT_NEAR(estimates[quality - 1], quality, 8);
}

TEST(OtherTables, UsesLumaAndChroma) {
  QuantTable fine, coarse;
  fine.fill(2);
  coarse.fill(60);
  const int both_fine = EstimateJpegQuality(fine, &fine);
  const int coarse_chroma = EstimateJpegQuality(fine, &coarse);
  const int both_coarse = EstimateJpegQuality(coarse, &coarse);
  EXPECT_GT(both_fine, coarse_chroma);
  EXPECT_GT(coarse_chroma, both_coarse);
  EXPECT_EQ(EstimateJpegQuality(fine, nullptr), EstimateJpegQuality(fine, nullptr));
}

TEST(OtherTables, StaysInRangeForExtremeSteps) {
  QuantTable least, most;
  least.fill(0);
  most.fill(65535);
  EXPECT_EQ(EstimateJpegQuality(least, &least), 100);
  EXPECT_EQ(EstimateJpegQuality(most, &most), 1);
}

}  // namespace
}  // namespace telltale
