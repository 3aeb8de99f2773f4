// Resizing directly into a tensor.
#include "inference/preprocess.h"

#include "image/area_resize.h"

namespace telltale {

void ResizeInto(const Image& image, int width, int height, size_t stride, uint8_t* target) {
  // OpenCV has no read-only Mat; resizing only reads its source.
  const cv::Mat source(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  ResizeByArea(source, cv::Mat(height, width, CV_8UC3, target, stride));
}

}  // namespace telltale
