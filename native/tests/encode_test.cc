// Encoding images and decoding them again.
#include "image/encode.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "image/decode.h"
#include "tests/fixtures.h"

namespace telltale {
namespace {

Image Scene() {
  Result<Image> image = Decode(ReadFixture("images/png/scene.png"));
  EXPECT_TRUE(image.ok());
  return std::move(image).value();
}

TEST(EncodePng, KeepsEveryPixel) {
  const Image scene = Scene();
  const Result<std::vector<uint8_t>> file = EncodePng(scene);
  ASSERT_TRUE(file.ok());
  const Result<Image> again = Decode(file.value());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().width, scene.width);
  EXPECT_EQ(again.value().pixels, scene.pixels);
}

TEST(EncodeJpeg, WritesTheQualityThatItIsTold) {
  const Image scene = Scene();
  for (int quality : {1, 25, 49, 50, 75, 95, 100}) {
    const Result<std::vector<uint8_t>> file = EncodeJpeg(scene, quality);
    ASSERT_TRUE(file.ok());
    const Result<SniffedImage> sniffed = Sniff(file.value());
    ASSERT_TRUE(sniffed.ok());
    EXPECT_EQ(sniffed.value().jpeg_quality, quality);
    EXPECT_EQ(sniffed.value().width, scene.width);
  }
}

TEST(EncodeJpeg, StaysNearTheImage) {
  const Image scene = Scene();
  const Result<std::vector<uint8_t>> file = EncodeJpeg(scene, 95);
  ASSERT_TRUE(file.ok());
  const Result<Image> again = Decode(file.value());
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again.value().pixels.size(), scene.pixels.size());
  int64_t sum = 0;
  for (size_t i = 0; i < scene.pixels.size(); ++i) sum += std::abs(scene.pixels[i] - again.value().pixels[i]);
  EXPECT_LT(sum / static_cast<double>(scene.pixels.size()), 10);
}

TEST(EncodeJpeg, IsBaselineWithHalvedChroma) {
  const Result<std::vector<uint8_t>> file = EncodeJpeg(Scene(), 80);
  ASSERT_TRUE(file.ok());
  const std::vector<uint8_t>& bytes = file.value();
  size_t frame = 0;
  for (size_t at = 2; at + 4 < bytes.size() && frame == 0; at += 2u + (bytes[at + 2] << 8 | bytes[at + 3])) {
    if (bytes[at + 1] >= 0xC0 && bytes[at + 1] <= 0xC2) frame = at;
  }
  ASSERT_NE(frame, 0u);
  EXPECT_EQ(bytes[frame + 1], 0xC0);
  EXPECT_EQ(bytes[frame + 11], 0x22);  // luma sampling; chroma follows
  EXPECT_EQ(bytes[frame + 14], 0x11);
}

TEST(Encode, RefusesAImageWithoutPixels) {
  EXPECT_EQ(EncodePng(Image{}).status().code(), StatusCode::kInternalError);
  EXPECT_EQ(EncodeJpeg(Image{}, 80).status().code(), StatusCode::kInternalError);
}

}  // namespace
}  // namespace telltale
