// Results of checking one image, and their computation from the networks' outputs.
#pragma once

#include <optional>
#include <vector>

#include "base/fields.h"
#include "engine/colours.h"
#include "engine/engine_config.h"
#include "engine/preview.h"
#include "engine/scene_hash.h"
#include "face/face.h"
#include "inference/session.h"

namespace telltale {

// Log odds that a face is manipulated or generated, as if it were the only face in its image.
struct FaceEvidence {
  Face face;
  double manipulated = 0;
  double generated = 0;
};

struct ScoredFace {
  Face face;
  double score = 0;        // 0..1, manipulated or generated: 1 - (1 - manipulated) * (1 - generated)
  double manipulated = 0;  // calibrated probability, 0..1: swapped or edited
  double generated = 0;    // calibrated probability, 0..1
  TELLTALE_FIELDS(score, manipulated, generated)
};

// Score of one image in a collage.
struct EmbeddedImageScore {
  Box box;
  double score = 0;  // 0..1, the full_image_score of this embedded image alone
  double drawn = 0;  // 0..1, probability that this is not a photograph
  TELLTALE_FIELDS(box, score, drawn)
};

// Score of a part of the image, such as a heat map cell.
struct PatchScore {
  Box box;
  double score = 0;  // 0..1, probability that this part was generated
  TELLTALE_FIELDS(box, score)
};

// Durations in milliseconds. Faces are detected while the encoder sees crops, so the durations may overlap.
struct Timings {
  double queue = 0;  // until a thread started on the image
  double decode = 0;
  double faces = 0;      // detecting and cutting out faces
  double inference = 0;  // from submitting the first tensor to the last score
  TELLTALE_FIELDS(queue, decode, faces, inference)
};

struct Inspection {
  int width = 0;   // pixels, orientation applied
  int height = 0;  // pixels, orientation applied
  double full_image_score = 0;
  double drawn = 0;  // 0..1, probability that the image is not a photograph
  // Embedded image that full_image_score, drawn and part describe. nullopt: they describe the whole image.
  std::optional<Box> panel;
  bool is_blank = false;        // one colour only: nothing to judge, so full_image_score is 0.5
  bool is_transparent = false;  // alpha is 0 everywhere: the hidden colours were judged
  int views = 0;  // crops that the encoder saw, of the whole and of embedded images; faces are not counted
  std::vector<ScoredFace> faces;           // largest first
  std::vector<EmbeddedImageScore> panels;  // of a collage, largest first, without blank ones
  std::optional<PatchScore> part;          // the part that looks most generated
  std::vector<PatchScore> patches;         // row by row, not overlapping; only if requested
  std::vector<Colour> colours;             // dominant colours
  std::optional<Preview> preview;          // only if requested
  std::optional<Scene> scene;              // only if requested and the image has enough detail
  Timings timings;
  TELLTALE_FIELDS(width, height, full_image_score, drawn, panel, is_blank, is_transparent, views, faces,
                  panels, part, patches, colours, preview, scene, timings)
};

// An image's crops, and the encoder's outputs for the crops that it has seen so far. Each crop is a row.
struct CropEvidence {
  // Marks all crops as not yet seen by the encoder.
  CropEvidence(Crops cut, const EngineConfig& config);

  Crops crops;
  bool are_blank = false;     // all crops, seen or not
  std::vector<bool> seen;     // one flag per row
  std::vector<float> logits;  // [rows, columns], 0 for an unseen row
  std::vector<float> tokens;  // [rows, side_tokens * side_tokens], 0 for an unseen row
};

// Returns the crops that `stage` needs and the encoder has not seen. Small images have fewer crops.
std::vector<int> MissingRows(const CropEvidence& evidence, const CropStage& stage);

// Stores the encoder's outputs for the crops `rows`, in that order. Error: kInternalError if an output is not
// finite or if their number differs.
Status AddRows(const Outputs& outputs, const std::vector<int>& rows, const EngineConfig& config,
               CropEvidence* evidence);

// Computes full_image_score, drawn, is_blank and part from the crops of `stage`. Requires that the encoder
// has seen these crops, and that the inspection's width and height are set. Returns true if no further stage
// is needed: the score is outside the stage's bounds, the image is blank, or the stage is the last.
bool ScoreStage(const CropEvidence& evidence, const CropStage& stage, const EngineConfig& config,
                Inspection* inspection);

// Returns how far an image's log odds lie above its threshold. A constant that is the same for all images is
// left out, because only comparisons matter.
double LeadOf(const Inspection& inspection, double drawn_odds);

// Computes the heat map. Requires that the encoder has seen all crops and that width and height are set.
void AddPatches(const CropEvidence& evidence, const EngineConfig& config, Inspection* inspection);

// Adds to `confirmed` each detected face that the encoder recognises as a photographed face, with its log
// odds. `outputs` has one row per detected face. Error: kInternalError, as for AddRows.
Status ConfirmFaces(const Outputs& outputs, const std::vector<Face>& candidates, const EngineConfig& config,
                    std::vector<FaceEvidence>* confirmed);

// Scores all n faces of an image. For each face, the higher of two log odds counts. The first assumes that
// only this face is fake: its own log odds less `penalty` * ln(n), because otherwise an image with many
// genuine faces would be flagged too often. The second assumes that all faces are fake: the mean over all
// faces.
// A genuine image that was heavily processed raises the log odds of manipulation of all its faces. The first
// log odds of manipulation therefore drop by `contrast` / n times the sum over the other faces of (log odds -
// `genuine`).
std::vector<ScoredFace> ScoreFaces(const std::vector<FaceEvidence>& faces,
                                   const FaceAggregation& aggregation);

}  // namespace telltale
