// What an inspection finds, and how the networks' outputs become scores.
#pragma once

#include <vector>

#include "engine/engine_config.h"
#include "face/face.h"
#include "inference/session.h"

namespace telltale {

struct ScoredFace {
  Face face;
  double score = 0;  // calibrated, 0..1
};

struct PatchScore {
  Box box;
  double score = 0;  // 0..1, comparable between patches of one picture only
};

// Milliseconds of wall time. Patches are inferred while faces are looked for: the stages may overlap.
struct Timings {
  double queue = 0;  // until a thread took the picture
  double decode = 0;
  double faces = 0;      // finding and cutting faces
  double inference = 0;  // from the first tensor handed in to the last score back
};

struct Inspection {
  int width = 0;   // pixels, orientation applied
  int height = 0;  // pixels, orientation applied
  double full_image_score = 0;
  std::vector<ScoredFace> faces;  // largest first
  std::vector<PatchScore> patches;
  Timings timings;
};

// Fills full_image_score and the scores of `patches` from the outputs (patch logits, global logits) of one
// row a patch and a last row for the global view. Error: kInternalError where a logit is no finite number.
Status ScoreFullImage(const Outputs& outputs, const FullImageModel& model, Inspection* inspection);

// Fills the scores of `faces` from one logit each. Error: kInternalError where a logit is no finite number.
Status ScoreFaces(const Outputs& outputs, const FaceSpecialistModel& model, Inspection* inspection);

}  // namespace telltale
