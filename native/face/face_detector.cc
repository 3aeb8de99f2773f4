// Preparing an image for the face detector, and turning the network's outputs into a list of faces.
#include "face/face_detector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>

#include "inference/preprocess.h"

namespace telltale {
namespace {

struct Candidate {
  float score;
  cv::Rect2f box;  // in pixels of the input
  const float* points;
};

float IntersectionOverUnion(const cv::Rect2f& a, const cv::Rect2f& b) {
  const float intersection = (a & b).area();
  const float united = a.area() + b.area() - intersection;
  return united > 0 ? intersection / united : 0;
}

// Non-maximum suppression: keeps the strongest candidate, drops all that overlap it too much, and continues
// with the remaining candidates.
std::vector<Candidate> Suppress(std::vector<Candidate> candidates, const FaceDetectorModel& model) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates) {
    if (static_cast<int>(kept.size()) >= model.max_faces) break;
    const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](const Candidate& stronger) {
      return IntersectionOverUnion(stronger.box, candidate.box) > model.nms_iou;
    });
    if (!overlaps) kept.push_back(candidate);
  }
  return kept;
}

Box ToImage(const cv::Rect2f& box, const DetectorInput& input, int width, int height) {
  const auto place = [&](double value, int limit) {
    return static_cast<int>(std::lround(std::clamp(value / input.scale, 0.0, static_cast<double>(limit))));
  };
  const int left = place(box.x, width);
  const int top = place(box.y, height);
  const int right = place(box.x + box.width, width);
  const int bottom = place(box.y + box.height, height);
  return {left, top, right - left, bottom - top};
}

int RoundUp(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

DetectorInput MakeDetectorInput(const Image& image, const FaceDetectorModel& model, bool square) {
  const double scale =
      std::min(1.0, static_cast<double>(model.long_side_px) / std::max(image.width, image.height));
  const int width = std::max(1, static_cast<int>(std::lrint(image.width * scale)));
  const int height = std::max(1, static_cast<int>(std::lrint(image.height * scale)));
  const int padded_width = square ? model.long_side_px : RoundUp(width, model.multiple);
  const int padded_height = square ? model.long_side_px : RoundUp(height, model.multiple);
  DetectorInput input;
  input.pixels = PixelBatch(1, padded_height, padded_width);
  ResizeInto(image, width, height, static_cast<size_t>(padded_width) * 3, input.pixels.row(0));
  input.scale = scale;
  return input;
}

Result<std::vector<Face>> DecodeFaces(const Outputs& outputs, const DetectorInput& input, int image_width,
                                      int image_height, const FaceDetectorModel& model) {
  const size_t anchors = outputs.empty() ? 0 : outputs[0].row_size;
  if (outputs.size() != 3 || outputs[1].row_size != anchors * 4 || outputs[2].row_size != anchors * 10) {
    return Status(StatusCode::kInternalError, "the face detector's outputs do not fit together");
  }
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < anchors; ++i) {
    const float score = outputs[0].values[i];
    if (!(score >= model.score_threshold)) continue;
    const float* box = &outputs[1].values[i * 4];
    const float* points = &outputs[2].values[i * 10];
    const auto is_finite = [](float value) { return std::isfinite(value); };
    if (!std::all_of(box, box + 4, is_finite) || !std::all_of(points, points + 10, is_finite)) continue;
    if (box[2] <= 0 || box[3] <= 0) continue;
    candidates.push_back({score, {box[0], box[1], box[2], box[3]}, points});
  }
  std::vector<Face> faces;
  for (const Candidate& candidate : Suppress(std::move(candidates), model)) {
    Face face;
    face.confidence = std::min(candidate.score, 1.0F);
    face.box = ToImage(candidate.box, input, image_width, image_height);
    if (face.box.width <= 0 || face.box.height <= 0) continue;
    for (size_t i = 0; i < face.points.size(); ++i) {
      face.points[i].x = candidate.points[2 * i] / input.scale;
      face.points[i].y = candidate.points[2 * i + 1] / input.scale;
    }
    faces.push_back(face);
  }
  return faces;
}

}  // namespace telltale
