// Tests that copies and crops differ little, and that the same form with another text differs much.
#include "engine/scene_levels.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <string>

#include "crops/embedded_images.h"
#include "engine/annotate.h"
#include "fixtures.h"
#include "image/decode.h"

namespace telltale {
namespace {

// Maximum difference at which src/accounts/seen/known.ts treats two images as the same.
constexpr double kMaxDifferent = 0.12;

Image Photograph() {
  const std::vector<uint8_t> file = ReadFixture("images/jpeg/scene.jpg");
  return Decode(file).value();
}

// Returns an identity card with a name and a number.
Image Form(const std::string& name, const std::string& number) {
  Image image;
  image.width = 640;
  image.height = 400;
  image.pixels.assign(size_t{640} * 400 * 3, 228);
  cv::Mat pixels(400, 640, CV_8UC3, image.pixels.data());
  cv::rectangle(pixels, cv::Rect(0, 0, 640, 70), cv::Scalar(36, 64, 142), cv::FILLED);
  cv::rectangle(pixels, cv::Rect(30, 100, 150, 200), cv::Scalar(204, 170, 170), cv::FILLED);
  cv::circle(pixels, cv::Point(105, 170), 36, cv::Scalar(232, 196, 158), cv::FILLED);
  cv::rectangle(pixels, cv::Rect(30, 330, 580, 30), cv::Scalar(85, 85, 85), cv::FILLED);
  cv::putText(pixels, name, {210, 150}, cv::FONT_HERSHEY_DUPLEX, 1, {0, 0, 0}, 2, cv::LINE_AA);
  cv::putText(pixels, number, {210, 210}, cv::FONT_HERSHEY_DUPLEX, 1, {0, 0, 0}, 2, cv::LINE_AA);
  return image;
}

double Compare(const Image& image, const Image& known) {
  return CompareScenes(image, {ShrinkToFineLevels(known)});
}

TEST(SceneLevelsTest, CopiesAndCropsAreTheSame) {
  for (const Image& whole : {Photograph(), Form("JOHN DOE", "7919")}) {
    EXPECT_EQ(Compare(whole, whole), 0);
    const int w = whole.width, h = whole.height;
    for (const Box& box :
         {Box{0, 0, w * 9 / 10, h * 9 / 10}, Box{w / 20, h / 30, w * 19 / 20, h * 29 / 30}}) {
      const Image crop = CutBox(whole, box);
      EXPECT_LT(Compare(crop, whole), kMaxDifferent) << box.width;
      EXPECT_LT(Compare(whole, crop), kMaxDifferent) << box.width;
      EXPECT_LT(Compare(ShrinkToLongSide(crop, 300), whole), kMaxDifferent) << box.width;
    }
  }
}

TEST(SceneLevelsTest, AnotherTextInTheSameFormIsAnotherImage) {
  const Image form = Form("JOHN DOE", "7919");
  EXPECT_GT(Compare(Form("MARY ROE", "39595"), form), kMaxDifferent);
  EXPECT_GT(Compare(Form("JOHN DOE", "39595"), form), kMaxDifferent);
  EXPECT_GT(Compare(Photograph(), form), kMaxDifferent);
}

TEST(SceneLevelsTest, APlainImageIsComparedToo) {
  Image plain;
  plain.width = plain.height = 8;
  plain.pixels.assign(8 * 8 * 3, 200);
  EXPECT_EQ(Compare(plain, plain), 0);
  EXPECT_GT(Compare(plain, Photograph()), kMaxDifferent);
}

}  // namespace
}  // namespace telltale
