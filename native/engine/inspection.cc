// Logits to scores.
#include "engine/inspection.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace telltale {
namespace {

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

// Of a logit in the head's column.
double LogOdds(const CalibratedHead& head, double logit) { return head.scale * logit + head.offset; }

// The encoder's outputs, in the order in which networks.cc asks for them.
constexpr size_t kLogits = 0;
constexpr size_t kTokens = 1;

Status CheckOutput(const Outputs& outputs, size_t index, int columns, size_t rows) {
  const auto is_sound = [&](const Output& output) {
    return output.row_size == static_cast<size_t>(columns) && output.values.size() == rows * columns &&
           std::all_of(output.values.begin(), output.values.end(),
                       [](float value) { return std::isfinite(value); });
  };
  return index < outputs.size() && is_sound(outputs[index])
             ? Status()
             : Status(StatusCode::kInternalError,
                      "the encoder gave something else than finite logits for each view");
}

}  // namespace

Status ScoreFullImage(const Outputs& outputs, const Views& views, const EngineConfig& config,
                      Inspection* inspection) {
  const int columns = config.encoder.columns;
  const int side_tokens = config.encoder.side_tokens();
  const size_t rows = views.places.size();
  if (Status status = CheckOutput(outputs, kLogits, columns, rows); !status.ok()) return status;
  if (Status status = CheckOutput(outputs, kTokens, side_tokens * side_tokens, rows); !status.ok())
    return status;
  const std::vector<float>& logits = outputs[kLogits].values;
  double logit = config.full_image.bias;
  const CalibratedHead& drawn = config.full_image.drawn;
  double drawn_sum = 0;
  int telling_views = 0;
  size_t row = 0;
  for (size_t i = 0; i < views.kind_counts.size(); ++i) {
    const JudgedKind& judged = config.full_image.kinds[i];
    double sum = 0;
    for (const size_t end = row + views.kind_counts[i]; row < end; ++row) {
      sum += logits[row * columns + judged.column];
      if (judged.tells_drawn) drawn_sum += logits[row * columns + drawn.column];
    }
    if (judged.tells_drawn) telling_views += views.kind_counts[i];
    logit += judged.weight * sum / views.kind_counts[i];
  }
  inspection->full_image_score = Sigmoid(logit);
  inspection->drawn = Sigmoid(LogOdds(drawn, drawn_sum / telling_views));
  for (const HeatMapCell& cell :
       MakeHeatMap(outputs[kTokens].values, side_tokens, views.places, inspection->width, inspection->height))
    inspection->patches.push_back({cell.box, Sigmoid(cell.logit)});
  return {};
}

Status ConfirmFaces(const Outputs& outputs, const std::vector<Face>& finds, const EngineConfig& config,
                    std::vector<FaceEvidence>* confirmed) {
  const int columns = config.encoder.columns;
  if (Status status = CheckOutput(outputs, kLogits, columns, finds.size()); !status.ok()) return status;
  const FaceSpecialistModel& model = config.face_specialist;
  const float* row = outputs[kLogits].values.data();
  for (const Face& find : finds) {
    if (row[model.confirm.column] >= model.confirm.least_logit)
      confirmed->push_back({find, LogOdds(model.manipulated, row[model.manipulated.column]),
                            LogOdds(model.generated, row[model.generated.column])});
    row += columns;
  }
  return {};
}

std::vector<ScoredFace> ScoreFaces(const std::vector<FaceEvidence>& faces) {
  const auto count = static_cast<double>(faces.size());
  FaceEvidence mean;
  for (const FaceEvidence& evidence : faces) {
    mean.manipulated += evidence.manipulated / count;
    mean.generated += evidence.generated / count;
  }
  std::vector<ScoredFace> scored;
  for (const FaceEvidence& evidence : faces) {
    const double manipulated = Sigmoid(std::max(evidence.manipulated - std::log(count), mean.manipulated));
    const double generated = Sigmoid(std::max(evidence.generated - std::log(count), mean.generated));
    scored.push_back({evidence.face, 1 - (1 - manipulated) * (1 - generated), manipulated, generated});
  }
  return scored;
}

}  // namespace telltale
