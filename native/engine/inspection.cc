// Logits to scores.
#include "engine/inspection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace telltale {
namespace {

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

double MeanOfFirst(const std::vector<double>& values, size_t count) {
  return std::accumulate(values.begin(), values.begin() + static_cast<ptrdiff_t>(count), 0.0) / count;
}

Status CheckLogits(const Output& output, size_t rows) {
  const bool sound =
      output.row_size == 1 && output.values.size() == rows &&
      std::all_of(output.values.begin(), output.values.end(), [](float v) { return std::isfinite(v); });
  return sound ? Status()
               : Status(StatusCode::kInternalError,
                        "a network gave something else than one finite logit a row");
}

}  // namespace

Status ScoreFullImage(const Outputs& outputs, const FullImageModel& model, Inspection* inspection) {
  const size_t count = inspection->patches.size();
  for (const Output& output : outputs) {
    if (Status status = CheckLogits(output, count + 1); !status.ok()) return status;
  }
  const std::vector<float>& logits = outputs[0].values;
  for (size_t i = 0; i < count; ++i) inspection->patches[i].score = Sigmoid(logits[i]);

  std::vector<double> rising(logits.begin(), logits.begin() + static_cast<ptrdiff_t>(count));
  std::sort(rising.begin(), rising.end());
  const size_t part = static_cast<size_t>(model.low_part);
  const double logit = model.bias + model.mean * MeanOfFirst(rising, count) +
                       model.low * MeanOfFirst(rising, (count + part - 1) / part) +
                       model.global * outputs[1].values[count];
  inspection->full_image_score = Sigmoid(model.scale * logit + model.offset);
  return {};
}

Status ScoreFaces(const Outputs& outputs, const FaceSpecialistModel& model, Inspection* inspection) {
  if (Status status = CheckLogits(outputs[0], inspection->faces.size()); !status.ok()) return status;
  for (size_t i = 0; i < inspection->faces.size(); ++i) {
    inspection->faces[i].score = Sigmoid(model.scale * outputs[0].values[i] + model.offset);
  }
  return {};
}

}  // namespace telltale
