// Comparing this project's resizing with OpenCV's.
#include "image/area_resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace telltale {
namespace {

cv::Mat Noise(int width, int height) {
  cv::Mat image(height, width, CV_8UC3);
  cv::RNG random(static_cast<uint64_t>(width) * 7919 + height);
  random.fill(image, cv::RNG::UNIFORM, 0, 256);
  return image;
}

struct Difference {
  int most = 0;
  double share = 0;  // share of samples that differ
};

Difference CompareWithOpenCv(const cv::Mat& source, int width, int height, int interpolation) {
  cv::Mat expected;
  cv::resize(source, expected, cv::Size(width, height), 0, 0, interpolation);
  cv::Mat actual(height, width, CV_8UC3, cv::Scalar::all(77));
  ResizeByArea(source, actual);
  cv::Mat difference;
  cv::absdiff(expected, actual, difference);
  const cv::Mat flat = difference.reshape(1);
  double most = 0;
  cv::minMaxLoc(flat, nullptr, &most);
  return {static_cast<int>(most),
          static_cast<double>(cv::countNonZero(flat)) / static_cast<double>(flat.total())};
}

TEST(ResizeByArea, ShrinksAsOpenCvDoes) {
  const cv::Size sizes[] = {{640, 480}, {1152, 864}, {1001, 757}, {257, 4001},
                            {384, 384}, {3000, 300}, {768, 1024}};
  const cv::Size targets[] = {{128, 128}, {200, 129}, {255, 256}, {1, 1}, {97, 300}};
  for (const cv::Size& size : sizes) {
    const cv::Mat source = Noise(size.width, size.height);
    for (const cv::Size& target : targets) {
      if (target.width > size.width || target.height > size.height) continue;
      const Difference difference = CompareWithOpenCv(source, target.width, target.height, cv::INTER_AREA);
      EXPECT_LE(difference.most, 1) << size << " to " << target;
      EXPECT_LE(difference.share, target.area() < 100 ? 1 : 0.01) << size << " to " << target;
    }
  }
}

TEST(ResizeByArea, SumsMoreRowsThanASixteenBitSumHolds) {
  cv::Mat white(5000, 31, CV_8UC3, cv::Scalar::all(255));
  cv::Mat target(3, 7, CV_8UC3);
  ResizeByArea(white, target);
  EXPECT_EQ(cv::countNonZero(target.reshape(1) != 255), 0);
}

TEST(ResizeByArea, ReadsAndWritesPartsOfImages) {
  const cv::Mat whole = Noise(400, 300);
  const cv::Mat part = whole(cv::Rect(31, 17, 211, 143));
  EXPECT_LE(CompareWithOpenCv(part, 100, 60, cv::INTER_AREA).most, 1);
  cv::Mat canvas(100, 100, CV_8UC3, cv::Scalar::all(9));
  ResizeByArea(part, canvas(cv::Rect(10, 20, 50, 40)));
  canvas(cv::Rect(10, 20, 50, 40)).setTo(cv::Scalar::all(9));
  EXPECT_EQ(cv::countNonZero(canvas.reshape(1) != 9), 0);
}

TEST(ResizeByArea, LeavesTheRestToOpenCv) {
  const cv::Mat source = Noise(120, 90);
  EXPECT_EQ(CompareWithOpenCv(source, 60, 45, cv::INTER_AREA).most, 0);      // halves
  EXPECT_EQ(CompareWithOpenCv(source, 240, 181, cv::INTER_LINEAR).most, 0);  // enlarges
  EXPECT_EQ(CompareWithOpenCv(source, 60, 181, cv::INTER_AREA).most, 0);     // shrinks, enlarges
  EXPECT_EQ(CompareWithOpenCv(source, 120, 90, cv::INTER_LINEAR).most, 0);   // keeps the size
}

}  // namespace
}  // namespace telltale
