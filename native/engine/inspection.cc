// Every score of the engine in one place. How the scores of crops, embedded images and faces are joined
// determines how often a genuine image is flagged.
#include "engine/inspection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/suspicious_region.h"

namespace telltale {
namespace {

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

// Converts a logit of the network to calibrated log odds.
double LogOdds(const CalibratedHead& head, double logit) { return head.scale * logit + head.offset; }

// Indices of the encoder's two outputs, in the order in which networks.cc requests them.
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

// Returns the part of the image that looks most generated. Returns nullopt if the stage did not use the crop
// that shows the part. Requires an inspection whose size and `drawn` are set.
std::optional<PatchScore> JudgeRegion(const CropEvidence& evidence, const CropStage& stage,
                                      const EngineConfig& config, const Inspection& inspection) {
  const std::optional<RegionModel>& model = config.full_image.region;
  if (!model || stage.shares[model->type].count == 0) return std::nullopt;
  const std::vector<int>& counts = evidence.crops.type_counts;
  const int row = std::accumulate(counts.begin(), counts.begin() + model->type, 0);
  const int side_tokens = config.encoder.side_tokens();
  const float* tokens = evidence.tokens.data() + static_cast<size_t>(row) * side_tokens * side_tokens;
  const TokenRegion region = FindRegion(tokens, side_tokens, model->side);
  return PatchScore{
      LocateRegion(region, model->side, evidence.crops.places[row], inspection.width, inspection.height),
      Sigmoid(RegionLogOdds(*model, region, inspection.drawn))};
}

}  // namespace

CropEvidence::CropEvidence(Crops cut, const EngineConfig& config)
    : crops(std::move(cut)),
      are_blank(AreBlank(crops.pixels)),
      seen(crops.places.size()),
      logits(seen.size() * config.encoder.columns),
      tokens(seen.size() * config.encoder.side_tokens() * config.encoder.side_tokens()) {}

std::vector<int> MissingRows(const CropEvidence& evidence, const CropStage& stage) {
  std::vector<int> rows;
  int first = 0;
  for (size_t i = 0; i < evidence.crops.type_counts.size(); ++i) {
    const int count = evidence.crops.type_counts[i];
    for (int row = first; row < first + std::min(count, stage.shares[i].count); ++row)
      if (!evidence.seen[row]) rows.push_back(row);
    first += count;
  }
  return rows;
}

Status AddRows(const Outputs& outputs, const std::vector<int>& rows, const EngineConfig& config,
               CropEvidence* evidence) {
  const int columns = config.encoder.columns;
  const int tokens = config.encoder.side_tokens() * config.encoder.side_tokens();
  if (Status status = CheckOutput(outputs, kLogits, columns, rows.size()); !status.ok()) return status;
  if (Status status = CheckOutput(outputs, kTokens, tokens, rows.size()); !status.ok()) return status;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto copy = [&](const Output& output, std::vector<float>* all) {
      std::copy_n(output.values.begin() + i * output.row_size, output.row_size,
                  all->begin() + rows[i] * output.row_size);
    };
    copy(outputs[kLogits], &evidence->logits);
    copy(outputs[kTokens], &evidence->tokens);
    evidence->seen[rows[i]] = true;
  }
  return {};
}

bool ScoreStage(const CropEvidence& evidence, const CropStage& stage, const EngineConfig& config,
                Inspection* inspection) {
  const FullImageModel& model = config.full_image;
  const int columns = config.encoder.columns;
  double logit = stage.bias;
  double drawn_sum = 0;
  int domain_crops = 0;
  const float* type_logits = evidence.logits.data();
  for (size_t i = 0; i < model.crop_types.size(); ++i) {
    const JudgedCropType& judged = model.crop_types[i];
    const int count = std::min(evidence.crops.type_counts[i], stage.shares[i].count);
    double sum = 0;
    for (int row = 0; row < count; ++row) {
      sum += type_logits[row * columns + judged.column];
      if (judged.decides_domain) drawn_sum += type_logits[row * columns + model.drawn.column];
    }
    if (judged.decides_domain) domain_crops += count;
    if (count > 0) logit += stage.shares[i].weight * sum / count;
    type_logits += static_cast<size_t>(evidence.crops.type_counts[i]) * columns;
  }
  const double drawn = Sigmoid(LogOdds(model.drawn, drawn_sum / domain_crops));
  inspection->full_image_score = Sigmoid(logit);
  inspection->drawn = drawn;
  inspection->is_blank = evidence.are_blank;
  if (evidence.are_blank) {
    inspection->full_image_score = 0.5;
    return true;
  }
  inspection->part = JudgeRegion(evidence, stage, config, *inspection);
  const auto between = [&](const std::array<double, 2>& by_domain) {
    return (1 - drawn) * by_domain[0] + drawn * by_domain[1];
  };
  return !stage.early_exit || logit < between(stage.early_exit->below) ||
         logit > between(stage.early_exit->above);
}

double LeadOf(const Inspection& inspection, double drawn_odds) {
  const double score = inspection.full_image_score;
  return std::log(score / (1 - score)) - drawn_odds * inspection.drawn;
}

void AddPatches(const CropEvidence& evidence, const EngineConfig& config, Inspection* inspection) {
  for (const HeatMapCell& cell : MakeHeatMap(evidence.tokens, config.encoder.side_tokens(),
                                             evidence.crops.places, inspection->width, inspection->height))
    inspection->patches.push_back({cell.box, Sigmoid(cell.logit)});
}

Status ConfirmFaces(const Outputs& outputs, const std::vector<Face>& candidates, const EngineConfig& config,
                    std::vector<FaceEvidence>* confirmed) {
  const int columns = config.encoder.columns;
  if (Status status = CheckOutput(outputs, kLogits, columns, candidates.size()); !status.ok()) return status;
  const FaceSpecialistModel& model = config.face_specialist;
  const float* row = outputs[kLogits].values.data();
  for (const Face& candidate : candidates) {
    if (row[model.confirm.column] >= model.confirm.least_logit)
      confirmed->push_back({candidate, LogOdds(model.manipulated, row[model.manipulated.column]),
                            LogOdds(model.generated, row[model.generated.column])});
    row += columns;
  }
  return {};
}

std::vector<ScoredFace> ScoreFaces(const std::vector<FaceEvidence>& faces,
                                   const FaceAggregation& aggregation) {
  const auto count = static_cast<double>(faces.size());
  FaceEvidence mean;
  for (const FaceEvidence& evidence : faces) {
    mean.manipulated += evidence.manipulated / count;
    mean.generated += evidence.generated / count;
  }
  const double shared = aggregation.penalty * std::log(count);
  std::vector<ScoredFace> scored;
  for (const FaceEvidence& evidence : faces) {
    const double others =
        mean.manipulated - (evidence.manipulated + (count - 1) * aggregation.genuine) / count;
    const double manipulated =
        Sigmoid(std::max(evidence.manipulated - shared - aggregation.contrast * others, mean.manipulated));
    const double generated = Sigmoid(std::max(evidence.generated - shared, mean.generated));
    scored.push_back({evidence.face, 1 - (1 - manipulated) * (1 - generated), manipulated, generated});
  }
  return scored;
}

}  // namespace telltale
