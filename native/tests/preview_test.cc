// Tests that a preview is small, and that its hash is similar for copies and different for other images.
#include "engine/preview.h"

#include <gtest/gtest.h>

#include <bit>

#include "fixtures.h"
#include "image/decode.h"

namespace telltale {
namespace {

Image Read(const char* name) {
  const std::vector<uint8_t> file = ReadFixture(name);
  return Decode(file).value();
}

int Distance(const Preview& a, const Preview& b) {
  return std::popcount(a.perceptual_hash ^ b.perceptual_hash);
}

TEST(PreviewTest, IsShrunkToItsLongSideAndIsAJpegOfThatSize) {
  const Preview preview = MakePreview(Read("images/jpeg/scene.jpg"), 144).value();
  EXPECT_EQ(preview.width, 144);
  EXPECT_EQ(preview.height, 128);
  const Image decoded = Decode(preview.jpeg).value();
  EXPECT_EQ(decoded.width, 144);
  EXPECT_EQ(decoded.height, 128);
}

TEST(PreviewTest, IsNeverEnlarged) {
  EXPECT_EQ(MakePreview(Read("images/jpeg/scene.jpg"), 4096).value().width, 288);
}

TEST(PreviewTest, CopiesHashNearAndOtherImagesFar) {
  const Preview scene = MakePreview(Read("images/jpeg/scene.jpg"), 512).value();
  EXPECT_LE(Distance(scene, MakePreview(Read("images/webp/scene.webp"), 512).value()), 6);
  EXPECT_LE(Distance(scene, MakePreview(Decode(scene.jpeg).value(), 200).value()), 4);
  EXPECT_GE(Distance(scene, MakePreview(Read("images/png/rgba_gamma.png"), 512).value()), 12);
}

TEST(PreviewTest, HashesAsOpenCvsImgHashDoes) {
  const auto hash_of = [](const char* name) { return MakePreview(Read(name), 4096).value().perceptual_hash; };
  // The expected hashes were computed by cv::img_hash::pHash of OpenCV 4.6.
  EXPECT_EQ(hash_of("images/jpeg/scene.jpg"), 11053200163018309631u);
  EXPECT_EQ(hash_of("images/png/rgba_gamma.png"), 11395806954354017408u);
  EXPECT_EQ(hash_of("images/webp/scene.webp"), 11053235347390398463u);
}

TEST(PreviewTest, AJpegThatCameSmallerHashesNear) {
  const std::vector<uint8_t> file = ReadFixture("images/jpeg/scene.jpg");
  const Preview whole = MakePreview(Decode(file).value(), 100).value();
  const Preview smaller = MakePreview(Decode(file, Cancellation(), 100).value(), 100).value();
  EXPECT_EQ(smaller.width, whole.width);
  EXPECT_EQ(smaller.height, whole.height);
  EXPECT_LE(Distance(whole, smaller), 2);
}

}  // namespace
}  // namespace telltale
