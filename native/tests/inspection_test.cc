// Tests that the networks' logits become the right scores. The expected values are computed by hand.
#include "engine/inspection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace telltale {
namespace {

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

// Returns settings with two columns and crops of 16 px, each of which is one token. Column 0 judges one crop
// of the whole image. Column 1 judges up to two crops of native resolution.
EngineConfig MakeConfig() {
  EngineConfig config;
  config.encoder.columns = 2;
  config.encoder.size_px = 16;
  config.full_image.crop_types = {{{16, 1}, 0}, {{0, 2}, 1, true}};
  config.full_image.stages = {{{{1, 0.5}, {2, 2}}, -1}};
  config.full_image.drawn = {0, 0.5, 8};
  config.face_specialist.manipulated = {0, 2, 1};
  config.face_specialist.generated = {1, 1, 0};
  config.face_specialist.confirm = {1, -5};
  return config;
}

// Returns the crops of an image of 48 x 16 px. Each of its three crops shows 16 x 16 px, one token.
Crops MakeCrops() {
  Crops crops;
  crops.places = {{16, 0, 48, 16}, {0, 0, 48, 16}, {32, 0, 48, 16}};
  crops.type_counts = {1, 2};
  return crops;
}

Inspection MakeInspection() {
  Inspection inspection;
  inspection.width = 48;
  inspection.height = 16;
  return inspection;
}

const Output kLogits = {2, {4, 90, -90, 1, 50, 3}};
const Output kTokens = {1, {5, -6, 7}};

// Computes the scores if the encoder returns `outputs` for the crops of the first stage.
Status Score(const Outputs& outputs, const EngineConfig& config, Inspection* inspection) {
  const CropStage& stage = config.full_image.stages.front();
  CropEvidence evidence(MakeCrops(), config);
  if (Status status = AddRows(outputs, MissingRows(evidence, stage), config, &evidence); !status.ok())
    return status;
  ScoreStage(evidence, stage, config, inspection);
  AddPatches(evidence, config, inspection);
  return {};
}

TEST(InspectionTest, JoinsTheCropTypesOfCrops) {
  Inspection inspection = MakeInspection();
  ASSERT_TRUE(Score({kLogits, kTokens}, MakeConfig(), &inspection).ok());
  // The score is -1 + 0.5 * 4 + 2 * (1 + 3) / 2 = 5. Each crop type uses only its own column.
  EXPECT_NEAR(inspection.full_image_score, Sigmoid(5), 1e-12);
}

// Extends MakeConfig by settings for the suspicious region. The region is the only token of the whole image's
// crop, which has the logit 5.
EngineConfig MakeRegionConfig() {
  EngineConfig config = MakeConfig();
  config.full_image.region = {0, 1, {2, 1}, {-4, -9}};
  return config;
}

TEST(InspectionTest, ThePartThatLooksMostGeneratedHasAScoreOfItsOwn) {
  Inspection inspection = MakeInspection();
  ASSERT_TRUE(Score({kLogits, kTokens}, MakeRegionConfig(), &inspection).ok());
  // The image is drawn with probability sigmoid(-2). The region's log odds are 6 (photograph) and -4 (drawn).
  const double drawn = Sigmoid(-2);
  ASSERT_TRUE(inspection.part);
  EXPECT_NEAR(inspection.part->score, Sigmoid(6 * (1 - drawn) - 4 * drawn), 1e-12);
  EXPECT_EQ(inspection.part->box.x, 16);
  EXPECT_EQ(inspection.part->box.width, 16);
  // The suspicious region does not change the image's score.
  EXPECT_NEAR(inspection.full_image_score, Sigmoid(5), 1e-12);
}

TEST(InspectionTest, OfABlankImageNothingIsSaid) {
  const EngineConfig config = MakeRegionConfig();
  Crops crops = MakeCrops();
  crops.pixels = PixelBatch(3, 16, 16);
  CropEvidence evidence(std::move(crops), config);
  ASSERT_TRUE(AddRows({{2, {4, 90}}, {1, {5}}}, {0}, config, &evidence).ok());
  Inspection inspection = MakeInspection();
  // A blank image needs no further stage, whether its score is within the bounds or not.
  EXPECT_TRUE(
      ScoreStage(evidence, {{{1, 1}, {0}}, 0, EarlyExitBounds{{-9, -9}, {9, 9}}}, config, &inspection));
  EXPECT_TRUE(inspection.is_blank);
  EXPECT_EQ(inspection.full_image_score, 0.5);
  EXPECT_FALSE(inspection.part);
}

TEST(InspectionTest, AStageWithoutItsCropHasNoPart) {
  const EngineConfig config = MakeRegionConfig();
  Inspection inspection = MakeInspection();
  CropEvidence evidence(MakeCrops(), config);
  ASSERT_TRUE(AddRows({{2, {-90, 1}}, {1, {-6}}}, {1}, config, &evidence).ok());
  EXPECT_TRUE(ScoreStage(evidence, {{{0}, {1, 0.5}}, 2}, config, &inspection));
  EXPECT_FALSE(inspection.part);
}

TEST(InspectionTest, TheImageIsDrawnByTheMeanOfAllCropsThatTell) {
  EngineConfig config = MakeConfig();
  Inspection inspection = MakeInspection();
  ASSERT_TRUE(Score({kLogits, kTokens}, config, &inspection).ok());
  // The result is 8 + 0.5 * (-90 + 50) / 2. The crop of the whole image is not part of it.
  EXPECT_NEAR(inspection.drawn, Sigmoid(-2), 1e-12);
  config.full_image.crop_types[0].decides_domain = true;
  config.full_image.drawn.offset = 0;
  ASSERT_TRUE(Score({kLogits, kTokens}, config, &inspection).ok());
  EXPECT_NEAR(inspection.drawn, Sigmoid(0.5 * (4 - 90 + 50) / 3), 1e-12);
}

TEST(InspectionTest, ThePatchesAreTheScoresOfTheTokens) {
  Inspection inspection = MakeInspection();
  ASSERT_TRUE(Score({kLogits, kTokens}, MakeConfig(), &inspection).ok());
  ASSERT_EQ(inspection.patches.size(), 3U);
  EXPECT_NEAR(inspection.patches[0].score, Sigmoid(-6), 1e-12);
  EXPECT_NEAR(inspection.patches[1].score, Sigmoid(5), 1e-12);
  EXPECT_NEAR(inspection.patches[2].score, Sigmoid(7), 1e-12);
  EXPECT_EQ(inspection.patches[2].box.x, 32);
}

TEST(InspectionTest, AStageShowsTheFirstCropsOfEachKindOnce) {
  const EngineConfig config = MakeConfig();
  CropEvidence evidence(MakeCrops(), config);
  const std::vector<int> rows = MissingRows(evidence, {{{0}, {1}}});
  EXPECT_EQ(rows, std::vector<int>{1});
  ASSERT_TRUE(AddRows({{2, {1, 50}}, {1, {5}}}, rows, config, &evidence).ok());
  EXPECT_EQ(MissingRows(evidence, {{{1}, {2}}}), (std::vector<int>{0, 2}));
  // A small image has fewer crops than the stage asks for.
  evidence.crops.type_counts = {1, 1};
  EXPECT_EQ(MissingRows(evidence, {{{1}, {2}}}), (std::vector<int>{0}));
  EXPECT_TRUE(MissingRows(evidence, {{{0}, {2}}}).empty());
}

TEST(InspectionTest, AStageJoinsItsCropsByItsOwnShares) {
  const EngineConfig config = MakeConfig();
  Inspection inspection = MakeInspection();
  CropEvidence evidence(MakeCrops(), config);
  ASSERT_TRUE(AddRows({{2, {4, 90}}, {1, {5}}}, {0}, config, &evidence).ok());
  ASSERT_TRUE(AddRows({{2, {-90, 1, 50, 3}}, {1, {-6, 7}}}, {1, 2}, config, &evidence).ok());
  EXPECT_TRUE(ScoreStage(evidence, {{{0}, {1, 0.5}}, 2}, config, &inspection));
  // The score is 2 + 0.5 * 1. The probability of a drawn image is computed from 8 + 0.5 * -90.
  EXPECT_NEAR(inspection.full_image_score, Sigmoid(2.5), 1e-12);
  EXPECT_NEAR(inspection.drawn, Sigmoid(-37), 1e-12);
  EXPECT_TRUE(ScoreStage(evidence, config.full_image.stages[0], config, &inspection));
  EXPECT_NEAR(inspection.full_image_score, Sigmoid(5), 1e-12);
}

// Returns true if an image with logit 1 needs no further stage. `drawn` is the probability that it is drawn.
bool IsDone(double drawn, const EarlyExitBounds& bounds) {
  EngineConfig config = MakeConfig();
  config.full_image.drawn = {0, 0, std::log(drawn / (1 - drawn))};
  Inspection inspection = MakeInspection();
  CropEvidence evidence(MakeCrops(), config);
  EXPECT_TRUE(AddRows({{2, {0, 1}}, {1, {5}}}, {1}, config, &evidence).ok());
  return ScoreStage(evidence, {{{0}, {1, 1}}, 0, bounds}, config, &inspection);
}

TEST(InspectionTest, AStageIsTheLastBeyondItsBounds) {
  EXPECT_FALSE(IsDone(0.5, {{0.9, 0.9}, {1.1, 1.1}}));
  EXPECT_TRUE(IsDone(0.5, {{1.1, 1.1}, {9, 9}}));
  EXPECT_TRUE(IsDone(0.5, {{-9, -9}, {0.9, 0.9}}));
}

TEST(InspectionTest, TheBoundsLieBetweenThoseOfTheTwoMedia) {
  // The lower bound is 0 + 4 * p, where p is the probability that the image is drawn.
  EXPECT_FALSE(IsDone(0.24, {{0, 4}, {9, 9}}));
  EXPECT_TRUE(IsDone(0.26, {{0, 4}, {9, 9}}));
  // The upper bound is 4 - 4 * p.
  EXPECT_FALSE(IsDone(0.74, {{-9, -9}, {4, 0}}));
  EXPECT_TRUE(IsDone(0.76, {{-9, -9}, {4, 0}}));
}

// Returns the faces that are confirmed if the encoder returns these logits, two per face.
std::vector<FaceEvidence> Confirm(const std::vector<float>& logits,
                                  const EngineConfig& config = MakeConfig()) {
  std::vector<Face> candidates(logits.size() / 2);
  for (size_t i = 0; i < candidates.size(); ++i) candidates[i].confidence = static_cast<float>(i);
  std::vector<FaceEvidence> confirmed;
  EXPECT_TRUE(ConfirmFaces({{2, logits}}, candidates, config, &confirmed).ok());
  return confirmed;
}

TEST(InspectionTest, AFaceIsManipulatedOrGenerated) {
  const auto faces = ScoreFaces(Confirm({0, -1}), {0.5, 0.5, -7});
  ASSERT_EQ(faces.size(), 1U);
  EXPECT_NEAR(faces[0].manipulated, Sigmoid(1), 1e-12);
  EXPECT_NEAR(faces[0].generated, Sigmoid(-1), 1e-12);
  EXPECT_NEAR(faces[0].score, 1 - (1 - Sigmoid(1)) * (1 - Sigmoid(-1)), 1e-12);
}

TEST(InspectionTest, OneFakeAmongSeveralFacesHasItsShareOfTheOdds) {
  const auto faces = ScoreFaces(Confirm({1, -3, -4, -3, -4, 3}), {});
  ASSERT_EQ(faces.size(), 3U);
  // Log odds of manipulation are 3, -7, -7, and of generation -3, -3, 3. The fake face counts with its own
  // log odds less ln(3), because that is more than the mean.
  EXPECT_NEAR(faces[0].manipulated, 1 / (1 + 3 * std::exp(-3)), 1e-12);
  EXPECT_NEAR(faces[2].generated, 1 / (1 + 3 * std::exp(-3)), 1e-12);
  EXPECT_NEAR(faces[0].generated, Sigmoid(-1), 1e-12);
  EXPECT_TRUE(ScoreFaces({}, {}).empty());
}

TEST(InspectionTest, AFaceThatStandsOutGivesAwayLess) {
  // Log odds of manipulation are 3, -7, -7. The other two faces are 2 below a genuine face (-5) each. Half of
  // their sum, 4, divided by 3, is added to the first face.
  const auto faces = ScoreFaces(Confirm({1, -3, -4, -3, -4, -3}), {0.5, 0.5, -5});
  EXPECT_NEAR(faces[0].manipulated, Sigmoid(3 - 0.5 * std::log(3) + 0.5 * 4 / 3), 1e-12);
  // The mean of all three faces, -11/3, is higher than this face's own log odds less its deductions.
  EXPECT_NEAR(faces[1].manipulated, Sigmoid(-11.0 / 3), 1e-12);
  const auto alike = ScoreFaces(Confirm({0, -3, -1, -3}), {0.5, 0.5, -5});
  // Log odds are 1 and -1. Their mean, 0, is higher than 1 less ln(2) / 2 less half of 4 / 2.
  EXPECT_NEAR(alike[0].manipulated, Sigmoid(0), 1e-12);
  EXPECT_NEAR(alike[0].generated, Sigmoid(-3), 1e-12);
}

TEST(InspectionTest, AllFacesMayBeFakes) {
  const auto faces = ScoreFaces(Confirm({0.5F, -3, 0, -3}), {});
  // Log odds of manipulation are 2 and 1. Their mean is higher than each of them less ln(2).
  EXPECT_NEAR(faces[0].manipulated, Sigmoid(1.5), 1e-12);
  EXPECT_NEAR(faces[1].manipulated, Sigmoid(1.5), 1e-12);
  EXPECT_NEAR(faces[0].generated, Sigmoid(-3), 1e-12);
}

TEST(InspectionTest, OnlyFacesCount) {
  const auto confirmed = Confirm({9, -6, 9, -5.01F, 0, -5});
  ASSERT_EQ(confirmed.size(), 1U);
  EXPECT_EQ(confirmed[0].face.confidence, 2);
  EXPECT_NEAR(confirmed[0].manipulated, 1, 1e-12);
}

TEST(InspectionTest, NeverTurnsNanOrMissingRowsIntoAScore) {
  const EngineConfig config = MakeConfig();
  Inspection inspection = MakeInspection();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto score = [&](const Outputs& outputs) { return Score(outputs, config, &inspection).code(); };
  EXPECT_EQ(score({{2, {0, 0, 0, nan, 0, 0}}, kTokens}), StatusCode::kInternalError);
  EXPECT_EQ(score({{2, {0, 0, 0, 0}}, kTokens}), StatusCode::kInternalError);
  EXPECT_EQ(score({{1, {0, 0, 0}}, kTokens}), StatusCode::kInternalError);
  EXPECT_EQ(score({kLogits, {1, {0, nan, 0}}}), StatusCode::kInternalError);
  EXPECT_EQ(score({kLogits, {1, {0, 0}}}), StatusCode::kInternalError);
  EXPECT_EQ(score({kLogits, {3, {0, 0, 0}}}), StatusCode::kInternalError);
  EXPECT_EQ(score({kLogits}), StatusCode::kInternalError);
  EXPECT_EQ(score({}), StatusCode::kInternalError);
  std::vector<FaceEvidence> confirmed;
  EXPECT_EQ(ConfirmFaces({{2, {nan, 0}}}, {Face()}, config, &confirmed).code(), StatusCode::kInternalError);
  EXPECT_TRUE(confirmed.empty());
  EXPECT_TRUE(inspection.patches.empty());
  EXPECT_EQ(score({kLogits, kTokens}), StatusCode::kOk);
}

TEST(InspectionTest, FacesIgnoreTokens) {
  std::vector<FaceEvidence> confirmed;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(ConfirmFaces({{2, {0, 0}}, {1, {nan}}}, {Face()}, MakeConfig(), &confirmed).ok());
}

TEST(InspectionTest, ExtremeLogitsStayScores) {
  EngineConfig config = MakeConfig();
  config.face_specialist.confirm.least_logit = -1e31;
  EXPECT_EQ(ScoreFaces(Confirm({1e30F, 1e30F}, config), {})[0].score, 1);
  EXPECT_EQ(ScoreFaces(Confirm({-1e30F, -1e30F}, config), {})[0].score, 0);
}

}  // namespace
}  // namespace telltale
