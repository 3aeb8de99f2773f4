// Shrinking, encoding, hashing.
#include "engine/preview.h"

#include <opencv2/imgproc.hpp>

#include "engine/annotate.h"
#include "image/encode.h"

namespace telltale {
namespace {

// Chosen: half a megapixel at most, so that it shows faces and stays some tens of kilobytes.
constexpr int kQuality = 80;

// The perceptual hash that is known as pHash (C. Zauner, 2010), bit for bit as OpenCV's img_hash module has
// it. Debian packages that module only together with all of OpenCV. Of the image's 32 x 32 grey levels it
// takes the 8 x 8 lowest frequencies of the discrete cosine transform, without the mean. A bit says whether
// one of them is above their average.
uint64_t HashPixels(const Image& image) {
  constexpr int kSide = 32;
  constexpr int kFrequencies = 8;
  const cv::Mat rgb(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  cv::Mat small, grey, levels, spectrum;
  cv::resize(rgb, small, cv::Size(kSide, kSide), 0, 0, cv::INTER_LINEAR_EXACT);
  cv::cvtColor(small, grey, cv::COLOR_RGB2GRAY);
  grey.convertTo(levels, CV_32F);
  cv::dct(levels, spectrum);
  cv::Mat lowest = spectrum(cv::Rect(0, 0, kFrequencies, kFrequencies)).clone();
  lowest.at<float>(0, 0) = 0;
  const float average = static_cast<float>(cv::mean(lowest)[0]);
  uint64_t hash = 0;
  for (int row = 0; row < kFrequencies; ++row) {
    for (int bit = kFrequencies - 1; bit >= 0; --bit)  // of each byte the first frequency is the lowest bit
      hash = hash << 1 | (lowest.at<float>(row, bit) > average ? 1 : 0);
  }
  return hash;
}

}  // namespace

Result<Preview> MakePreview(const Image& image, int long_side_px) {
  const Image small = ShrinkToLongSide(image, long_side_px);
  Result<std::vector<uint8_t>> jpeg = EncodeJpeg(small, kQuality);
  if (!jpeg.ok()) return jpeg.status();
  return Preview{small.width, small.height, std::move(jpeg).value(), HashPixels(small)};
}

}  // namespace telltale
