// Pixels of every fixture against its reference.
#include "image/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "image/alpha.h"
#include "tests/fixtures.h"

namespace telltale {
namespace {

int LargestDifference(const PixelBuffer& a, const PixelBuffer& b) {
  int largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class DecodeFixture : public testing::TestWithParam<Fixture> {};

TEST_P(DecodeFixture, EqualsItsReference) {
  const Fixture& fixture = GetParam();
  const Result<Image> reference = Decode(ReadFixture("references/" + fixture.reference));
  ASSERT_TRUE(reference.ok());
  // The reference is a PNG of ours to read: its checksum comes from the decoder that made it.
  const PixelBuffer& expected = reference.value().pixels;
  ASSERT_EQ(Crc32(expected.data(), expected.size()), fixture.crc);

  const Result<Image> image = Decode(ReadFixture("images/" + fixture.file));
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ(image.value().width, fixture.width);
  EXPECT_EQ(image.value().height, fixture.height);
  ASSERT_EQ(image.value().pixels.size(), expected.size());
  EXPECT_LE(LargestDifference(image.value().pixels, expected), fixture.tolerance);
}

INSTANTIATE_TEST_SUITE_P(All, DecodeFixture, testing::ValuesIn(AllFixtures()),
                         [](const auto& info) { return TestName(info.param); });

TEST(Decode, EqualsItselfOnManyThreads) {
  const std::vector<uint8_t> jpeg = ReadFixture("images/jpeg/scene.jpg");
  const std::vector<uint8_t> tiff = ReadFixture("images/tiff/tiled_jpeg.tif");
  const Result<Image> first_jpeg = Decode(jpeg);
  const Result<Image> first_tiff = Decode(tiff);
  ASSERT_TRUE(first_jpeg.ok() && first_tiff.ok());
  std::vector<std::thread> threads;
  std::vector<int> equal(4);
  for (int& count : equal) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const Result<Image> again_jpeg = Decode(jpeg);
        const Result<Image> again_tiff = Decode(tiff);
        count += again_jpeg.ok() && again_jpeg.value().pixels == first_jpeg.value().pixels;
        count += again_tiff.ok() && again_tiff.value().pixels == first_tiff.value().pixels;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 40));
}

// Pillow's alpha_composite on opaque white, in its own fixed-point steps.
int PillowOverWhite(int colour, int alpha) {
  const int share = alpha * 128;
  const int sum = colour * share + 255 * (255 * 128 - share) + (128 << 7);
  return (((sum >> 8) + sum) >> 8) >> 7;
}

TEST(FlattenOverWhite, RoundsAsPillowForEveryColourAndAlpha) {
  Image image{256, 256, {}};
  for (int alpha = 0; alpha < 256; ++alpha) {
    for (int colour = 0; colour < 256; ++colour) {
      for (int sample : {colour, colour, colour, alpha}) image.pixels.push_back(static_cast<uint8_t>(sample));
    }
  }
  FlattenOverWhite(&image);
  ASSERT_EQ(image.pixels.size(), 256u * 256 * 3);
  for (int alpha = 0; alpha < 256; ++alpha) {
    for (int colour = 0; colour < 256; ++colour) {
      ASSERT_EQ(image.row(alpha)[colour * 3], PillowOverWhite(colour, alpha)) << colour << " at " << alpha;
    }
  }
}

}  // namespace
}  // namespace telltale
