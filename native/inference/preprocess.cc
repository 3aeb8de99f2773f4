// Resizing straight into a tensor.
#include "inference/preprocess.h"

#include <opencv2/imgproc.hpp>

namespace telltale {

void ResizeInto(const Image& image, int width, int height, size_t stride, uint8_t* target) {
  // OpenCV has no read-only Mat; resize only reads its source.
  const cv::Mat source(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  cv::Mat view(height, width, CV_8UC3, target, stride);
  const bool shrinks = width < image.width || height < image.height;
  cv::resize(source, view, view.size(), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
}

}  // namespace telltale
