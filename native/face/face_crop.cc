// Computing how to rotate and scale a face to a standard position, and resampling its pixels.
#include "face/face_crop.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "image/area_resize.h"

namespace telltale {
namespace {

using Affine = cv::Matx23d;

cv::Point2d MeanOf(const Landmarks& points) {
  cv::Point2d sum;
  for (const Point& point : points) sum += cv::Point2d(point.x, point.y);
  return sum / static_cast<double>(points.size());
}

// The cast is needed because OpenCV has no read-only matrix type. Callers only read the result.
cv::Mat Wrap(const Image& image) {
  return {image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data())};
}

// Limits the range from `low` to `high` to whole pixels of an axis with `length` pixels, at least one.
cv::Range ClipAxis(double low, double high, int length) {
  const double most = length;
  const int start = static_cast<int>(std::clamp(std::floor(low), 0.0, most));
  const int end = static_cast<int>(std::clamp(std::ceil(high), 0.0, most));
  if (start < end) return {start, end};
  return end < 1 ? cv::Range(0, 1) : cv::Range(length - 1, length);
}

// Returns the part of the image that the crop shows, with a margin for resampling.
cv::Rect VisiblePart(const Image& image, const Affine& matrix, double scale, int size_px) {
  Affine inverse;
  cv::invertAffineTransform(matrix, inverse);
  double low[2];
  double high[2];
  const double side = size_px;
  for (int axis = 0; axis < 2; ++axis) {
    const double at_origin = inverse(axis, 2);
    const double across = inverse(axis, 0) * side;
    const double down = inverse(axis, 1) * side;
    low[axis] = at_origin + std::min({0.0, across, down, across + down}) - 2 / scale;
    high[axis] = at_origin + std::max({0.0, across, down, across + down}) + 2 / scale;
  }
  const cv::Range columns = ClipAxis(low[0], high[0], image.width);
  const cv::Range rows = ClipAxis(low[1], high[1], image.height);
  return {columns.start, rows.start, columns.size(), rows.size()};
}

}  // namespace

Similarity EstimateSimilarity(const Landmarks& from, const Landmarks& to) {
  const cv::Point2d from_mean = MeanOf(from);
  const cv::Point2d to_mean = MeanOf(to);
  // In two dimensions, Umeyama's method has a simple solution. The sum of the dot products of the centred
  // points is the cosine of the rotation, the sum of the cross products its sine, times a common factor.
  double dot = 0;
  double cross = 0;
  double spread = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const cv::Point2d p = cv::Point2d(from[i].x, from[i].y) - from_mean;
    const cv::Point2d q = cv::Point2d(to[i].x, to[i].y) - to_mean;
    dot += p.dot(q);
    cross += p.cross(q);
    spread += p.dot(p);
  }
  const double a = spread > 0 ? dot / spread : 1;
  const double b = spread > 0 ? cross / spread : 0;
  return {a, -b, to_mean.x - (a * from_mean.x - b * from_mean.y),
          b, a,  to_mean.y - (b * from_mean.x + a * from_mean.y)};
}

Similarity EstimateCrop(const Landmarks& points, const FaceSpecialistModel& model) {
  Landmarks wanted = model.crop_template;
  for (Point& point : wanted) {
    point.x *= model.size_px;
    point.y *= model.size_px;
  }
  return EstimateSimilarity(points, wanted);
}

void CropFace(const Image& image, const Landmarks& points, const FaceSpecialistModel& model, uint8_t* crop) {
  Affine matrix(EstimateCrop(points, model).data());
  cv::Mat source = Wrap(image);
  const double scale = std::hypot(matrix(0, 0), matrix(1, 0));
  if (scale > 0 && scale < 1) {
    // Bilinear sampling alone would cause aliasing, so the visible part is first shrunk by area.
    const cv::Rect part = VisiblePart(image, matrix, scale, model.size_px);
    const cv::Size size(std::max(1, static_cast<int>(std::lrint(part.width * scale))),
                        std::max(1, static_cast<int>(std::lrint(part.height * scale))));
    cv::Mat shrunk(size, CV_8UC3);
    ResizeByArea(source(part), shrunk);
    source = shrunk;
    // Positions are pixel centres: x in the shrunken part lies at left + (x + 0.5) * kx - 0.5 in the image.
    const double kx = static_cast<double>(part.width) / size.width;
    const double ky = static_cast<double>(part.height) / size.height;
    const cv::Matx33d to_image(kx, 0, part.x + 0.5 * kx - 0.5, 0, ky, part.y + 0.5 * ky - 0.5, 0, 0, 1);
    matrix = matrix * to_image;
  }
  cv::Mat target(model.size_px, model.size_px, CV_8UC3, crop);
  cv::warpAffine(source, target, matrix, target.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
}

}  // namespace telltale
