// What an inspection finds, and how the networks' outputs become scores.
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

// What the heads say of a face: log odds, as if it were the only one of its image.
struct FaceEvidence {
  Face face;
  double manipulated = 0;
  double generated = 0;
};

struct ScoredFace {
  Face face;
  double score = 0;        // 0..1, that it is one or the other: 1 - (1 - manipulated) * (1 - generated)
  double manipulated = 0;  // calibrated probability, 0..1: swapped or edited
  double generated = 0;    // calibrated probability, 0..1
  TELLTALE_FIELDS(score, manipulated, generated)
};

// An image in the image.
struct EmbeddedImageScore {
  Box box;
  double score = 0;  // 0..1, as full_image_score of it alone
  double drawn = 0;  // 0..1, that it is no photograph
  TELLTALE_FIELDS(box, score, drawn)
};

// A part of the image: a cell of its heat map.
struct PatchScore {
  Box box;
  double score = 0;  // 0..1, that this part was generated
  TELLTALE_FIELDS(box, score)
};

// Milliseconds of wall time. Crops are inferred while faces are looked for: the stages may overlap.
struct Timings {
  double queue = 0;  // until a thread took the image
  double decode = 0;
  double faces = 0;      // finding and cutting faces
  double inference = 0;  // from the first tensor handed in to the last score back
  TELLTALE_FIELDS(queue, decode, faces, inference)
};

struct Inspection {
  int width = 0;   // pixels, orientation applied
  int height = 0;  // pixels, orientation applied
  double full_image_score = 0;
  double drawn = 0;  // 0..1, that it is no photograph
  // The embedded image that full_image_score, drawn and part are of; nothing: the whole.
  std::optional<Box> panel;
  bool is_blank = false;        // of one colour: full_image_score is 0.5, for there is nothing to judge
  bool is_transparent = false;  // its alpha is 0 everywhere: the colours under it were judged
  int views = 0;  // that the encoder saw, of the whole and of its embedded images, without faces
  std::vector<ScoredFace> faces;           // largest first
  std::vector<EmbeddedImageScore> panels;  // of a collage, largest first; blank ones are left out
  std::optional<PatchScore> part;          // that looks most generated
  std::vector<PatchScore> patches;         // row by row; their boxes don't overlap; where they were asked for
  std::vector<Colour> colours;             // that the image mostly has
  std::optional<Preview> preview;          // where one was asked for
  std::optional<Scene> scene;              // where it was asked for and the image shows enough
  Timings timings;
  TELLTALE_FIELDS(width, height, full_image_score, drawn, panel, is_blank, is_transparent, views, faces,
                  panels, part, patches, colours, preview, scene, timings)
};

// What the encoder said of the crops of an image so far.
struct CropEvidence {
  // Of all rows of `cut`; none was seen yet.
  CropEvidence(Crops cut, const EngineConfig& config);

  Crops crops;
  bool are_blank = false;     // all crops, seen or not
  std::vector<bool> seen;     // of each row
  std::vector<float> logits;  // [rows, columns], 0 if a row was not seen
  std::vector<float> tokens;  // [rows, side_tokens * side_tokens], likewise
};

// The rows that `stage` wants and that were not seen; none if a small image has no more.
std::vector<int> MissingRows(const CropEvidence& evidence, const CropStage& stage);

// Takes the encoder's outputs for `rows`, a row each. Error: kInternalError if they are not
// finite or not of so many rows.
Status AddRows(const Outputs& outputs, const std::vector<int>& rows, const EngineConfig& config,
               CropEvidence* evidence);

// Fills full_image_score, drawn, is_blank and part of an inspection whose width and height are set. It goes
// by the crops of `stage`, which were all seen. Returns whether the image is beyond the stage's bounds, or
// blank, or the stage the last.
bool ScoreStage(const CropEvidence& evidence, const CropStage& stage, const EngineConfig& config,
                Inspection* inspection);

// How far the score of an image lies above its threshold, but for a number that all images share: log
// odds.
double LeadOf(const Inspection& inspection, double drawn_odds);

// Fills `patches` of an inspection whose width and height are set; all crops were seen.
void AddPatches(const CropEvidence& evidence, const EngineConfig& config, Inspection* inspection);

// Adds those of `candidates` that the encoder takes for a photographed face to `confirmed`, with what its
// logits say of them. `outputs` has a row for each; tokens are ignored. Error: kInternalError as above.
Status ConfirmFaces(const Outputs& outputs, const std::vector<Face>& candidates, const EngineConfig& config,
                    std::vector<FaceEvidence>* confirmed);

// The scores of all faces of an image, in their order. A face is a fake where it is the only one, or where
// all of them are. If it is the only one, its log odds are its own less `penalty` times ln(n) of n faces.
// Otherwise the highest of many genuine faces would fire more often than one. Manipulation stands out among
// faces that went the same way, so it is held against the others, too. Off go `contrast` times the sum of
// what the others lie above `genuine`, over n. Where the mean of all is more, that counts.
std::vector<ScoredFace> ScoreFaces(const std::vector<FaceEvidence>& faces,
                                   const FaceAggregation& aggregation);

}  // namespace telltale
