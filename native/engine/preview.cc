// Shrinking, encoding, hashing.
#include "engine/preview.h"

#include <opencv2/img_hash.hpp>
#include <opencv2/imgproc.hpp>

#include "engine/annotate.h"
#include "image/encode.h"

namespace telltale {
namespace {

// Chosen: half a megapixel at most, so that it shows faces and stays some tens of kilobytes.
constexpr int kQuality = 80;

uint64_t HashPixels(const Image& image) {
  const cv::Mat rgb(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  cv::Mat bgr;  // as OpenCV reads files, so that others who hash by it get the same
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  cv::Mat bytes;
  cv::img_hash::pHash(bgr, bytes);
  uint64_t hash = 0;
  for (int i = 0; i < 8; ++i) hash = hash << 8 | bytes.at<uint8_t>(i);
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
