// Resizing by area, several times faster than OpenCV.
#pragma once

#include <opencv2/core.hpp>

namespace telltale {

// Resizes `source` (CV_8UC3, any stride) into `target` (CV_8UC3, allocated, any stride): by area (INTER_AREA)
// if a side shrinks, else bilinearly (INTER_LINEAR). The result equals cv::resize, except for a rare
// difference of one grey level when a mean lies between two levels. Throws cv::Exception and std::bad_alloc.
void ResizeByArea(const cv::Mat& source, cv::Mat target);

}  // namespace telltale
