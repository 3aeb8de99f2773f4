// Tests of the check of one image with fake networks. They test which faces, crops and embedded images are
// scored, and which embedded image determines the result.
#include "engine/inspection_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "fixtures.h"
#include "image/encode.h"
#include "tests/scarce_memory.h"

namespace telltale {
namespace {

constexpr int kCropPx = 16;
constexpr int kFacePx = 24;
constexpr int kLargestDetectionPx = 120;

// A face detector that finds overlapping faces, each one pixel smaller than the previous one.
class FakeDetector : public Session {
 public:
  explicit FakeDetector(int candidates) : candidates_(candidates) {}

  Result<Outputs> Run(const PixelView&) override {
    Outputs outputs = {
        {static_cast<size_t>(candidates_), {}}, {4U * candidates_, {}}, {10U * candidates_, {}}};
    for (int i = 0; i < candidates_; ++i) {
      const auto side = static_cast<float>(kLargestDetectionPx - i);
      outputs[0].values.push_back(0.9F);
      outputs[1].values.insert(outputs[1].values.end(), {0, 0, side, side});
      outputs[2].values.insert(outputs[2].values.end(), {30, 40, 70, 40, 50, 60, 35, 80, 65, 80});
    }
    return outputs;
  }

 private:
  const int candidates_;
};

// An encoder that rejects the first `no_faces` faces and accepts the others. Crops get the given logits, in
// the order in which they arrive.
class FakeEncoder : public Session {
 public:
  explicit FakeEncoder(int no_faces) : no_faces_(no_faces) {}

  Result<Outputs> Run(const PixelView& batch) override {
    Outputs outputs = {{1, {}}, {1, std::vector<float>(batch.rows, 0)}};
    for (int row = 0; row < batch.rows; ++row) {
      const bool is_crop = batch.height == kFacePx;
      const float logit =
          is_crop ? (face_crops++ < no_faces_ ? -1.0F : 1.0F) : crop_logits[crops++ % crop_logits.size()];
      outputs[0].values.push_back(logit);
    }
    return (fails_at > 0 && face_crops >= fails_at) || crops == fails_at_image_crop
               ? Result<Outputs>(Status(StatusCode::kInternalError, "broken"))
               : Result<Outputs>(outputs);
  }

  std::vector<float> crop_logits = {1};
  int crops = 0;
  int fails_at_image_crop = 0;  // 0: never
  int face_crops = 0;
  int fails_at = 0;  // number of the face crop from which the encoder fails; 0: never

 private:
  const int no_faces_;
};

class InspectionJobTest : public testing::Test {
 protected:
  InspectionJobTest() {
    EngineConfig& config = networks_.config;
    config.encoder.columns = 1;
    config.encoder.size_px = kCropPx;
    config.full_image.crop_types = {{{kCropPx, 1}, 0, true}};
    config.full_image.stages = {{{{1, 1}}}};
    config.face_detector.long_side_px = 4096;
    config.face_detector.multiple = 1;
    config.face_detector.nms_iou = 1;
    config.face_detector.max_faces = 100;
    config.face_specialist.size_px = kFacePx;
    config.face_specialist.crop_template = {{{.3, .3}, {.7, .3}, {.5, .5}, {.3, .7}, {.7, .7}}};
  }

  // Checks an image with fake networks and returns the result.
  Result<Inspection> Inspect(FakeDetector detector, FakeEncoder encoder, InspectionOptions options = {},
                             const std::vector<uint8_t>& bytes = ReadFixture("images/jpeg/scene.jpg")) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    networks_.encoder = std::make_unique<Batcher>(encoder, BatcherOptions{1, {}, now});
    networks_.detector = std::make_unique<Batcher>(detector, BatcherOptions{1, {}, now});
    Result<Inspection> inspection = Status(StatusCode::kInternalError, "not called");
    const auto post_step = [](const std::function<void()>& step) { step(); };
    const auto job = std::make_shared<InspectionJob>(
        networks_, bytes, options, std::make_shared<Cancellation>(), post_step,
        [&](Result<Inspection> result) { inspection = std::move(result); });
    job->Begin(nullptr);
    {
      const ScarceMemory scarce(allocations_);
      while (networks_.detector->RunOne(Priority::kCaller, true)) continue;
      while (networks_.encoder->RunOne(Priority::kCaller, true)) continue;
      memory_ran_out_ = ScarceMemory::HasFailed();
    }
    face_crops_ = encoder.face_crops;
    crops_ = encoder.crops;
    return inspection;
  }

  // Checks an image in which the face detector finds `candidates` faces.
  Result<Inspection> Inspect(int candidates, int no_faces, int fails_at = 0) {
    FakeEncoder encoder(no_faces);
    encoder.fails_at = fails_at;
    return Inspect(FakeDetector(candidates), encoder);
  }

  // Checks an image without faces in two stages: two crops, then two more. `logits` are the crops' logits.
  Result<Inspection> InspectInStages(std::vector<float> logits, InspectionOptions options = {},
                                     int fails_at_image_crop = 0) {
    FullImageModel& model = networks_.config.full_image;
    model.crop_types = {{{kCropPx, 1}, 0, true}, {{0, 3}, 0}};
    model.stages = {{{{1, 1}, {1, 1}}, 0, EarlyExitBounds{{-5, -5}, {5, 5}}}, {{{1, 1}, {3, 1}}, 0}};
    FakeEncoder encoder(0);
    encoder.crop_logits = std::move(logits);
    encoder.fails_at_image_crop = fails_at_image_crop;
    return Inspect(FakeDetector(0), encoder, options);
  }

  // Checks a collage of two grey ramps, the right one wider. `logits` are for the whole image, the right ramp
  // and the left ramp. If `is_blank` is true, the left one is plain grey.
  Result<Inspection> InspectEmbeddedImages(std::vector<float> logits, double drawn_odds = 0,
                                           bool is_blank = false) {
    Image image{500, 200, {}};
    image.pixels.resize(size_t{3} * 500 * 200);
    for (int y = 0; y < 200; ++y) {
      for (int x = 0; x < 500; ++x) {
        const int grey = x < 200 ? (is_blank ? 40 : 20 + y / 8) : 150 + y / 8;
        std::fill_n(image.row(y) + x * 3, 3, static_cast<uint8_t>(grey));
      }
    }
    networks_.config.full_image.embedded_images = {100, drawn_odds};
    FakeEncoder encoder(0);
    encoder.crop_logits = std::move(logits);
    return Inspect(FakeDetector(0), encoder, {}, EncodePng(image).value());
  }

  static std::vector<int> Sides(const Result<Inspection>& inspection) {
    std::vector<int> sides;
    for (const ScoredFace& face : inspection.value().faces) sides.push_back(face.face.box.width);
    return sides;
  }

  static std::vector<int> FallingFrom(int largest, int count) {
    std::vector<int> sides(count);
    for (int i = 0; i < count; ++i) sides[i] = largest - i;
    return sides;
  }

  Networks networks_;
  int face_crops_ = 0;    // number that the encoder saw
  int allocations_ = -1;  // allowed allocations while processing the networks' outputs; -1: any number
  bool memory_ran_out_ = false;
  int crops_ = 0;  // number that the encoder saw
};

TEST_F(InspectionJobTest, FailsIfMemoryRunsOutAnywhereInTheNetworksAnswers) {
  for (allocations_ = 0;; ++allocations_) {
    const Result<Inspection> inspection = Inspect(/*candidates=*/7, /*no_faces=*/3);
    if (!memory_ran_out_) {
      EXPECT_TRUE(inspection.ok());
      break;
    }
    // The check may succeed although an allocation failed, because sorting also works without extra memory.
    if (inspection.ok()) continue;
    ASSERT_EQ(inspection.status().code(), StatusCode::kInternalError) << allocations_;
    ASSERT_NE(inspection.status().message(), "not called") << allocations_;
  }
}

TEST_F(InspectionJobTest, ScoresTheEightLargestFaces) {
  EXPECT_EQ(Sides(Inspect(12, 0)), FallingFrom(kLargestDetectionPx, 8));
  EXPECT_EQ(face_crops_, 8);
}

TEST_F(InspectionJobTest, WhatIsNoFaceHidesNone) {
  EXPECT_EQ(Sides(Inspect(12, 11)), FallingFrom(kLargestDetectionPx - 11, 1));
  EXPECT_EQ(Sides(Inspect(24, 10)), FallingFrom(kLargestDetectionPx - 10, 8));
  EXPECT_EQ(face_crops_, 18);
}

TEST_F(InspectionJobTest, LooksAtSoManyCandidatesAndNoMore) {
  EXPECT_TRUE(Sides(Inspect(40, 30)).empty());
  EXPECT_EQ(face_crops_, 24);
}

TEST_F(InspectionJobTest, AFailureAmongLaterFindsFailsTheCheck) {
  EXPECT_EQ(Inspect(24, 10, 9).status().code(), StatusCode::kInternalError);
  EXPECT_EQ(face_crops_, 9);
}

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

TEST_F(InspectionJobTest, AnImageBeyondTheBoundsShowsNoMoreCrops) {
  const auto inspection = InspectInStages({-3, -3, 100, 100});
  EXPECT_EQ(crops_, 2);
  EXPECT_EQ(inspection.value().views, 2);
  EXPECT_NEAR(inspection.value().full_image_score, Sigmoid(-6), 1e-9);
  EXPECT_TRUE(inspection.value().patches.empty());
}

TEST_F(InspectionJobTest, AnImageWithinTheBoundsShowsTheRest) {
  const auto inspection = InspectInStages({-2, -2, 4, 4});
  EXPECT_EQ(crops_, 4);
  EXPECT_EQ(inspection.value().views, 4);
  EXPECT_NEAR(inspection.value().full_image_score, Sigmoid(-2 + 2), 1e-9);
}

TEST_F(InspectionJobTest, AHeatMapIsOfAllCropsAndChangesNoScore) {
  // The first two crops settle the score. All four crops together would have another score.
  const auto inspection = InspectInStages({-3, -3, 4, 4}, {.heat_map = true});
  EXPECT_EQ(crops_, 4);
  EXPECT_EQ(inspection.value().views, 4);
  EXPECT_NEAR(inspection.value().full_image_score, Sigmoid(-6), 1e-9);
  EXPECT_FALSE(inspection.value().patches.empty());
}

TEST_F(InspectionJobTest, AFailureInALaterRoundFailsTheCheck) {
  EXPECT_EQ(InspectInStages({-2, -2, 4, 4}, {}, 3).status().code(), StatusCode::kInternalError);
}

TEST_F(InspectionJobTest, TheHighestOfWholeAndEmbeddedImagesSpeaksForTheImage) {
  const Inspection left = InspectEmbeddedImages({-3, 1, 2}).value();
  EXPECT_EQ(crops_, 3);
  EXPECT_EQ(left.views, 3);
  EXPECT_NEAR(left.full_image_score, Sigmoid(2), 1e-9);
  EXPECT_NEAR(left.drawn, Sigmoid(2), 1e-9);
  ASSERT_TRUE(left.panel);
  EXPECT_EQ(left.panel->x, 0);
  ASSERT_EQ(left.panels.size(), 2U);
  EXPECT_GT(left.panels[0].box.x, 200);
  EXPECT_NEAR(left.panels[0].score, Sigmoid(1), 1e-9);
  EXPECT_NEAR(left.panels[1].score, Sigmoid(2), 1e-9);
  EXPECT_EQ(left.width, 500);

  const Inspection whole = InspectEmbeddedImages({3, 1, 2}).value();
  EXPECT_FALSE(whole.panel);
  EXPECT_NEAR(whole.full_image_score, Sigmoid(3), 1e-9);
  EXPECT_EQ(whole.panels.size(), 2U);
}

TEST_F(InspectionJobTest, EmbeddedImagesAreHeldAgainstTheThresholdOfWhatTheyLookLike) {
  // The threshold rises with the probability that an image is drawn. The left image has the higher score
  // here, but its threshold is higher by even more.
  const Inspection inspection = InspectEmbeddedImages({-3, 1, 2}, 10).value();
  EXPECT_FALSE(inspection.panel);
  EXPECT_NEAR(inspection.drawn, Sigmoid(-3), 1e-9);
}

TEST_F(InspectionJobTest, ABlankEmbeddedImageSaysNothing) {
  const Inspection inspection = InspectEmbeddedImages({-3, -2, 9}, 0, true).value();
  EXPECT_EQ(inspection.panels.size(), 1U);
  EXPECT_FALSE(inspection.is_blank);
  EXPECT_NEAR(inspection.full_image_score, Sigmoid(-2), 1e-9);
}

TEST_F(InspectionJobTest, PartsOfAnEmbeddedImageLieInTheImage) {
  networks_.config.full_image.region = {0, 1, {1, 1}, {0, 0}};
  const Inspection inspection = InspectEmbeddedImages({-3, 2, 1}).value();
  ASSERT_TRUE(inspection.part);
  EXPECT_GE(inspection.part->box.x, inspection.panel->x);
  EXPECT_GT(inspection.part->box.x, 200);
}

TEST_F(InspectionJobTest, AFailureInAnEmbeddedImageFailsTheCheck) {
  networks_.config.full_image.embedded_images = {100, 0};
  FakeEncoder encoder(0);
  encoder.fails_at_image_crop = 2;
  Image image{500, 200, {}};
  image.pixels.assign(size_t{3} * 500 * 200, 0);
  for (int y = 0; y < 200; ++y) std::fill_n(image.row(y) + 600, 900, static_cast<uint8_t>(100 + y / 8));
  EXPECT_EQ(Inspect(FakeDetector(0), encoder, {}, EncodePng(image).value()).status().code(),
            StatusCode::kInternalError);
}

}  // namespace
}  // namespace telltale
