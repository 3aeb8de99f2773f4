// Comparing the decoded pixels of each fixture with a reference.
#include "image/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "image/alpha.h"
#include "tests/fixtures.h"
#include "tests/hostile_files.h"

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
  // The reference is a PNG, which this project's decoder has just read. The checksum, from the program that
  // made the reference, shows that the reading is right.
  const PixelBuffer& expected = reference.value().pixels;
  ASSERT_EQ(Crc32(expected.data(), expected.size()), fixture.crc);

  const Result<Image> image = Decode(ReadFixture("images/" + fixture.file));
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ(image.value().width, fixture.width);
  EXPECT_EQ(image.value().height, fixture.height);
  ASSERT_EQ(image.value().pixels.size(), expected.size());
  EXPECT_LE(LargestDifference(image.value().pixels, expected), fixture.tolerance);
}

// Returns the mean of all samples, which stays nearly the same when an image is shrunk.
double Mean(const PixelBuffer& pixels) {
  return static_cast<double>(std::accumulate(pixels.begin(), pixels.end(), int64_t{0})) / pixels.size();
}

TEST_P(DecodeFixture, ComesSmallerAsFarAsIsEnoughWhereItIsAJpeg) {
  const std::vector<uint8_t> file = ReadFixture("images/" + GetParam().file);
  const Image whole = Decode(file).value();
  const int longer = std::max(whole.width, whole.height);
  for (const int shrink : {1, 2, 4, 8}) {
    for (const int enough : {longer / shrink, longer / shrink - 1}) {
      const Result<Image> image = Decode(file, Cancellation(), enough);
      ASSERT_TRUE(image.ok()) << image.status().message();
      const bool is_jpeg = GetParam().file.starts_with("jpeg/");
      const int by = is_jpeg ? shrink : 1;
      EXPECT_EQ(image.value().width, (whole.width + by - 1) / by);
      EXPECT_EQ(image.value().height, (whole.height + by - 1) / by);
      EXPECT_EQ(image.value().pixels.size(), size_t{3} * image.value().width * image.value().height);
      EXPECT_NEAR(Mean(image.value().pixels), Mean(whole.pixels), 8);
    }
  }
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

// A TIFF of one pixel with an extra sample, and the colour that the pixel should have over white.
struct TiffPixel {
  const char* name;
  uint16_t photometric;  // 1: grey, 2: RGB
  uint16_t bits;
  int extra;  // kind of the last sample; -1: without the tag
  std::vector<int> samples;
  std::vector<int> rgb;  // expected colour, at most 1 off
};

FileBytes FileOf(const TiffPixel& pixel) {
  FileBytes data;
  for (const int sample : pixel.samples) {
    for (int i = 0; i < pixel.bits / 8; ++i) data.push_back(static_cast<uint8_t>(sample));  // v * 257
  }
  const auto bytes = static_cast<uint32_t>(data.size());
  std::vector<TiffEntry> entries = {{256, 3, 1, 1},
                                    {257, 3, 1, 1},
                                    {258, 3, 1, pixel.bits},
                                    {262, 3, 1, pixel.photometric},
                                    {273, 4, 1, kTiffDataOffset},
                                    {277, 3, 1, static_cast<uint32_t>(pixel.samples.size())},
                                    {278, 3, 1, 1},
                                    {279, 4, 1, bytes}};
  if (pixel.extra >= 0) entries.push_back({338, 3, 1, static_cast<uint32_t>(pixel.extra)});
  return MakeTiff(entries, data);
}

class TiffExtraSample : public testing::TestWithParam<TiffPixel> {};

TEST_P(TiffExtraSample, IsAlphaOnlyWhereTheFileSaysSo) {
  const Result<Image> image = Decode(FileOf(GetParam()));
  ASSERT_TRUE(image.ok()) << image.status().message();
  ASSERT_EQ(image.value().pixels.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(image.value().pixels[i], GetParam().rgb[i], 1) << i;
}

const TiffPixel kTiffPixels[] = {
    {"rgb_unspecified", 2, 8, 0, {200, 100, 50, 0}, {200, 100, 50}},
    {"rgb_untagged", 2, 8, -1, {200, 100, 50, 0}, {200, 100, 50}},
    {"rgb_unspecified_16", 2, 16, 0, {200, 100, 50, 0}, {200, 100, 50}},
    {"rgb_straight", 2, 8, 2, {200, 100, 50, 128}, {227, 177, 152}},
    {"rgb_straight_16", 2, 16, 2, {200, 100, 50, 128}, {227, 177, 152}},
    {"rgb_premultiplied", 2, 8, 1, {100, 50, 25, 128}, {227, 177, 152}},
    {"grey_unspecified", 1, 8, 0, {50, 0}, {50, 50, 50}},
    {"grey_straight", 1, 8, 2, {50, 128}, {152, 152, 152}},
    {"grey_straight_16", 1, 16, 2, {50, 128}, {152, 152, 152}},
    {"grey_premultiplied", 1, 8, 1, {25, 128}, {152, 152, 152}},
    {"grey_premultiplied_16", 1, 16, 1, {25, 128}, {152, 152, 152}},
    {"white_is_zero_straight", 0, 8, 2, {205, 128}, {152, 152, 152}},
};

INSTANTIATE_TEST_SUITE_P(All, TiffExtraSample, testing::ValuesIn(kTiffPixels),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Decode, MultipliesGreyByAlphaOnceInPlanesOfATiff) {
  // Two offsets (8 and 9) and two sizes fit into their directory entries, so they are written there.
  const FileBytes tiff = MakeTiff({{256, 3, 1, 1},
                                   {257, 3, 1, 1},
                                   {258, 3, 1, 8},
                                   {262, 3, 1, 1},
                                   {273, 3, 2, kTiffDataOffset | (kTiffDataOffset + 1) << 16},
                                   {277, 3, 1, 2},
                                   {278, 3, 1, 1},
                                   {279, 3, 2, 1 | 1 << 16},
                                   {284, 3, 1, 2},
                                   {338, 3, 1, 2}},
                                  {50, 128});
  const Result<Image> image = Decode(tiff);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_NEAR(image.value().pixels[0], 152, 1);
}

TEST(Decode, SkipsWhatATileOfGreyWithAlphaHasBeyondTheImage) {
  constexpr uint32_t kTileBytes = 16 * 16 * 4;
  FileBytes tiles(2 * kTileBytes, 0xFF);
  for (const int byte : {0, 1}) tiles[kTileBytes + 16 * 4 + byte] = 90;  // grey of (16, 1), opaque
  const FileBytes tiff = MakeTiff({{256, 3, 1, 17},
                                   {257, 3, 1, 2},
                                   {258, 3, 1, 16},
                                   {262, 3, 1, 1},
                                   {277, 3, 1, 2},
                                   {322, 3, 1, 16},
                                   {323, 3, 1, 16},
                                   {324, 3, 2, kTiffDataOffset | (kTiffDataOffset + kTileBytes) << 16},
                                   {325, 3, 2, kTileBytes | kTileBytes << 16},
                                   {338, 3, 1, 2}},
                                  tiles);
  const Result<Image> image = Decode(tiff);
  ASSERT_TRUE(image.ok()) << image.status().message();
  for (int x = 0; x < 17; ++x) {
    EXPECT_EQ(image.value().row(0)[x * 3], 255) << x;
    EXPECT_EQ(image.value().row(1)[x * 3], x == 16 ? 90 : 255) << x;
  }
}

// Computes the same as Pillow's alpha_composite on opaque white, with the same rounding.
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
