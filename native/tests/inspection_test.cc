// Logits become scores by the manifest's numbers; the expected values are worked out by hand.
#include "engine/inspection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace telltale {
namespace {

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

Outputs Logits(const std::vector<float>& patches, const std::vector<float>& global) {
  return {{1, patches}, {1, global}};
}

TEST(InspectionTest, AggregatesPatchesAndTheGlobalView) {
  FullImageModel model;
  model.bias = 0.5;
  model.mean = 1;
  model.low = 2;
  model.low_part = 2;
  model.global = 4;
  model.scale = 0.25;
  model.offset = -1;
  Inspection inspection;
  inspection.patches.resize(3);
  // The last row is the global view: its patch logit (-100) and the patches' global logits (90) must not
  // count.
  ASSERT_TRUE(ScoreFullImage(Logits({1, -1, 3, -100}, {90, 90, 90, 2}), model, &inspection).ok());
  // 0.5 + 1 * 1 + 2 * 0 + 4 * 2 = 9.5: of three patches the lower two are the lower half.
  EXPECT_NEAR(inspection.full_image_score, Sigmoid(0.25 * 9.5 - 1), 1e-12);
  EXPECT_NEAR(inspection.patches[1].score, Sigmoid(-1), 1e-12);
}

TEST(InspectionTest, TheLowestPartHasAtLeastOnePatch) {
  FullImageModel model;
  model.low = 1;
  model.low_part = 5;
  Inspection inspection;
  inspection.patches.resize(2);
  ASSERT_TRUE(ScoreFullImage(Logits({1, 2, 0}, {0, 0, 0}), model, &inspection).ok());
  EXPECT_NEAR(inspection.full_image_score, Sigmoid(1), 1e-12);
}

TEST(InspectionTest, CalibratesFaces) {
  FaceSpecialistModel model;
  model.scale = 2;
  model.offset = 1;
  Inspection inspection;
  inspection.faces.resize(2);
  ASSERT_TRUE(ScoreFaces({{1, {0, -1}}}, model, &inspection).ok());
  EXPECT_NEAR(inspection.faces[0].score, Sigmoid(1), 1e-12);
  EXPECT_NEAR(inspection.faces[1].score, Sigmoid(-1), 1e-12);
}

TEST(InspectionTest, NeverTurnsNanOrMissingRowsIntoAScore) {
  Inspection inspection;
  inspection.patches.resize(1);
  inspection.faces.resize(1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ScoreFullImage(Logits({nan, 0}, {0, 0}), {}, &inspection).code(), StatusCode::kInternalError);
  EXPECT_EQ(ScoreFullImage(Logits({0}, {0}), {}, &inspection).code(), StatusCode::kInternalError);
  EXPECT_EQ(ScoreFaces({{1, {nan}}}, {}, &inspection).code(), StatusCode::kInternalError);
}

TEST(InspectionTest, ExtremeLogitsStayScores) {
  FaceSpecialistModel model;
  Inspection inspection;
  inspection.faces.resize(2);
  ASSERT_TRUE(ScoreFaces({{1, {1e30F, -1e30F}}}, model, &inspection).ok());
  EXPECT_EQ(inspection.faces[0].score, 1);
  EXPECT_EQ(inspection.faces[1].score, 0);
}

}  // namespace
}  // namespace telltale
