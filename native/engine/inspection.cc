// Logits to scores.
#include "engine/inspection.h"

#include <algorithm>
#include <cmath>

namespace telltale {
namespace {

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

double Apply(const FaceHead& head, const float* row) {
  return Sigmoid(head.scale * row[head.column] + head.offset);
}

Status CheckLogits(const Outputs& outputs, int columns, size_t rows) {
  const auto is_finite = [](float value) { return std::isfinite(value); };
  const bool sound = outputs.size() == 1 && outputs[0].row_size == static_cast<size_t>(columns) &&
                     outputs[0].values.size() == rows * columns &&
                     std::all_of(outputs[0].values.begin(), outputs[0].values.end(), is_finite);
  return sound ? Status()
               : Status(StatusCode::kInternalError,
                        "the encoder gave something else than finite logits for each view");
}

}  // namespace

Status ScoreFullImage(const Outputs& outputs, const Views& views, const EngineConfig& config,
                      Inspection* inspection) {
  const int columns = config.encoder.columns;
  if (Status status = CheckLogits(outputs, columns, views.boxes.size()); !status.ok()) return status;
  const std::vector<float>& logits = outputs[0].values;
  double logit = config.full_image.bias;
  size_t row = 0;
  for (size_t i = 0; i < views.kind_counts.size(); ++i) {
    const JudgedKind& judged = config.full_image.kinds[i];
    const bool is_whole = judged.kind.short_side_px == config.encoder.size_px;
    double sum = 0;
    for (const size_t end = row + views.kind_counts[i]; row < end; ++row) {
      const double value = logits[row * columns + judged.column];
      sum += value;
      if (!is_whole) inspection->patches.push_back({views.boxes[row], Sigmoid(value)});
    }
    logit += judged.weight * sum / views.kind_counts[i];
  }
  inspection->full_image_score = Sigmoid(logit);
  return {};
}

Status ScoreFaces(const Outputs& outputs, const EngineConfig& config, Inspection* inspection) {
  const int columns = config.encoder.columns;
  if (Status status = CheckLogits(outputs, columns, inspection->faces.size()); !status.ok()) return status;
  const float* row = outputs[0].values.data();
  for (ScoredFace& face : inspection->faces) {
    face.manipulated = Apply(config.face_specialist.manipulated, row);
    face.generated = Apply(config.face_specialist.generated, row);
    face.score = 1 - (1 - face.manipulated) * (1 - face.generated);
    row += columns;
  }
  return {};
}

}  // namespace telltale
