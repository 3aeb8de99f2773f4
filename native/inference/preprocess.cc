// Resizing an image directly into the input of a network.
#include "inference/preprocess.h"

#include "image/area_resize.h"

namespace telltale {

void ResizeInto(const Image& image, int width, int height, size_t stride, uint8_t* target) {
  // The cast is needed because OpenCV has no read-only matrix type. Resizing only reads its source.
  const cv::Mat source(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  ResizeByArea(source, cv::Mat(height, width, CV_8UC3, target, stride));
}

}  // namespace telltale
