// Least-squares alignment and warping.
#include "face/face_crop.h"

#include <opencv2/imgproc.hpp>

namespace telltale {
namespace {

Point MeanOf(const Landmarks& points) {
  Point mean;
  for (const Point& point : points) {
    mean.x += point.x / points.size();
    mean.y += point.y / points.size();
  }
  return mean;
}

}  // namespace

Similarity EstimateSimilarity(const Landmarks& from, const Landmarks& to) {
  const Point from_mean = MeanOf(from);
  const Point to_mean = MeanOf(to);
  // In two dimensions the rotation of Umeyama's decomposition has a closed form: the sums of the dot and the
  // cross products of the centred points are its cosine and sine, up to scale.
  double dot = 0;
  double cross = 0;
  double variance = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const double fx = from[i].x - from_mean.x;
    const double fy = from[i].y - from_mean.y;
    const double tx = to[i].x - to_mean.x;
    const double ty = to[i].y - to_mean.y;
    dot += fx * tx + fy * ty;
    cross += fx * ty - fy * tx;
    variance += fx * fx + fy * fy;
  }
  const double a = variance > 0 ? dot / variance : 1;
  const double b = variance > 0 ? cross / variance : 0;
  return {a, -b, to_mean.x - (a * from_mean.x - b * from_mean.y),
          b, a,  to_mean.y - (b * from_mean.x + a * from_mean.y)};
}

void CropFace(const Image& image, const Landmarks& points, const FaceSpecialistModel& model, uint8_t* crop) {
  Landmarks target = model.crop_template;
  for (Point& point : target) {
    point.x *= static_cast<float>(model.size_px);
    point.y *= static_cast<float>(model.size_px);
  }
  Similarity matrix = EstimateSimilarity(points, target);
  const cv::Mat transform(2, 3, CV_64F, matrix.data());
  // OpenCV has no read-only Mat; warpAffine only reads its source.
  const cv::Mat source(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  cv::Mat target_pixels(model.size_px, model.size_px, CV_8UC3, crop);
  cv::warpAffine(source, target_pixels, transform, target_pixels.size(), cv::INTER_LINEAR,
                 cv::BORDER_REPLICATE);
}

}  // namespace telltale
