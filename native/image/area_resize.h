// Shrinking images by averaging areas, several times faster than OpenCV.
#pragma once

#include <opencv2/core.hpp>

namespace telltale {

// Resizes `source` into `target`, both CV_8UC3 and allocated, with any stride. Averages areas (INTER_AREA) if
// a side shrinks; otherwise interpolates (INTER_LINEAR). The result equals cv::resize, except that a mean
// between two grey levels may rarely be rounded differently. Throws cv::Exception and std::bad_alloc.
void ResizeByArea(const cv::Mat& source, cv::Mat target);

}  // namespace telltale
