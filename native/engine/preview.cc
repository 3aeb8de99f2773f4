// Making a preview: shrinking the image, encoding it as JPEG and computing its perceptual hash.
#include "engine/preview.h"

#include <opencv2/imgproc.hpp>

#include "engine/annotate.h"
#include "image/encode.h"

namespace telltale {
namespace {

// JPEG quality. At this quality, a preview of half a megapixel shows faces and takes some tens of kilobytes.
constexpr int kQuality = 80;

// Computes the perceptual hash pHash (C. Zauner, 2010), with the same bits as OpenCV's img_hash module. This
// copy exists because Debian packages that module only together with all of OpenCV. The hash is made from the
// discrete cosine transform of 32 x 32 grey levels, of which the 8 x 8 lowest frequencies are used, with the
// mean set to 0. A bit is set if its frequency is above their average.
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
    for (int bit = kFrequencies - 1; bit >= 0; --bit)  // within a byte, the first frequency is the lowest bit
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
