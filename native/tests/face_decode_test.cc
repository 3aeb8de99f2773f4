// Tests the preparation of the face detector's input, the reading of faces from its outputs, and the
// selection of faces to be scored.
#include <gtest/gtest.h>

#include <limits>

#include "face/face_detector.h"

namespace telltale {
namespace {

FaceDetectorModel Model() {
  FaceDetectorModel model;
  model.long_side_px = 128;
  model.multiple = 32;
  model.score_threshold = 0.5F;
  model.nms_iou = 0.3F;
  model.max_faces = 3;
  return model;
}

Image Flat(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  image.pixels.assign(static_cast<size_t>(width) * height * 3, 200);
  return image;
}

struct Anchor {
  float score;
  float x, y, w, h;
};

// Returns outputs of the face detector in which all landmarks of face i lie at (i, 2 * i).
Outputs MakeOutputs(const std::vector<Anchor>& anchors) {
  Outputs outputs = {{anchors.size(), {}}, {anchors.size() * 4, {}}, {anchors.size() * 10, {}}};
  for (size_t i = 0; i < anchors.size(); ++i) {
    const Anchor& anchor = anchors[i];
    outputs[0].values.push_back(anchor.score);
    outputs[1].values.insert(outputs[1].values.end(), {anchor.x, anchor.y, anchor.w, anchor.h});
    for (int p = 0; p < 5; ++p) {
      outputs[2].values.insert(outputs[2].values.end(), {static_cast<float>(i), static_cast<float>(2 * i)});
    }
  }
  return outputs;
}

std::vector<Face> Decode(const std::vector<Anchor>& anchors, double scale = 1, int width = 100,
                         int height = 100) {
  DetectorInput input;
  input.scale = scale;
  return DecodeFaces(MakeOutputs(anchors), input, width, height, Model()).value();
}

TEST(DetectorInputTest, ShrinksToTheLongSideAndPadsWithZeros) {
  const DetectorInput input = MakeDetectorInput(Flat(512, 200), Model(), false);
  EXPECT_EQ(input.pixels.width, 128);
  EXPECT_EQ(input.pixels.height, 64);
  EXPECT_DOUBLE_EQ(input.scale, 0.25);
  EXPECT_EQ(input.pixels.pixels[(49 * 128 + 127) * 3], 200);
  EXPECT_EQ(input.pixels.pixels[(50 * 128 + 127) * 3], 0);
}

TEST(DetectorInputTest, NeverEnlarges) {
  const DetectorInput input = MakeDetectorInput(Flat(40, 33), Model(), false);
  EXPECT_EQ(input.pixels.width, 64);
  EXPECT_EQ(input.pixels.height, 64);
  EXPECT_DOUBLE_EQ(input.scale, 1);
  EXPECT_EQ(input.pixels.pixels[(32 * 64 + 39) * 3], 200);
  EXPECT_EQ(input.pixels.pixels[(32 * 64 + 40) * 3], 0);
}

TEST(DetectorInputTest, IsSquareWhereEveryImageNeedsTheSameSize) {
  const DetectorInput input = MakeDetectorInput(Flat(512, 20), Model(), true);
  EXPECT_EQ(input.pixels.width, 128);
  EXPECT_EQ(input.pixels.height, 128);
}

TEST(FaceDecodeTest, KeepsTheStrongestOfOverlappingBoxes) {
  const auto faces = Decode({{0.6F, 10, 10, 40, 40}, {0.9F, 12, 10, 40, 40}, {0.7F, 60, 60, 30, 30}});
  ASSERT_EQ(faces.size(), 2U);
  EXPECT_FLOAT_EQ(faces[0].confidence, 0.9F);
  EXPECT_EQ(faces[0].box.x, 12);
  EXPECT_FLOAT_EQ(faces[1].confidence, 0.7F);
  EXPECT_DOUBLE_EQ(faces[1].points[4].y, 4);
}

TEST(FaceDecodeTest, KeepsBoxesThatOverlapLittle) {
  // The boxes share 10 x 40 pixels and cover 2 * 40 * 40 - 400 pixels together, so they overlap by 0.14.
  EXPECT_EQ(Decode({{0.9F, 0, 0, 40, 40}, {0.8F, 30, 0, 40, 40}}).size(), 2U);
}

TEST(FaceDecodeTest, DropsWhatIsBelowTheThresholdOrNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(
      Decode({{0.49F, 0, 0, 40, 40}, {nan, 0, 0, 40, 40}, {0.9F, nan, 0, 40, 40}, {0.9F, 5, 5, -4, 9}})
          .empty());
}

TEST(FaceDecodeTest, ScalesToTheImageAndClipsToIt) {
  const auto faces = Decode({{0.9F, -5, 10, 30, 100}}, 0.5, 200, 180);
  ASSERT_EQ(faces.size(), 1U);
  EXPECT_EQ(faces[0].box.x, 0);
  EXPECT_EQ(faces[0].box.y, 20);
  EXPECT_EQ(faces[0].box.width, 50);
  EXPECT_EQ(faces[0].box.height, 160);
}

TEST(FaceDecodeTest, DropsBoxesOutsideOfTheImage) { EXPECT_TRUE(Decode({{0.9F, 150, 10, 30, 30}}).empty()); }

TEST(FaceDecodeTest, StopsAtTheMostFaces) {
  EXPECT_EQ(
      Decode({{0.9F, 0, 0, 9, 9}, {0.8F, 20, 0, 9, 9}, {0.7F, 40, 0, 9, 9}, {0.6F, 60, 0, 9, 9}}).size(), 3U);
}

TEST(FaceDecodeTest, RefusesOutputsThatDoNotFitTogether) {
  Outputs outputs = MakeOutputs({{0.9F, 0, 0, 9, 9}});
  outputs[1].row_size = 3;
  EXPECT_EQ(DecodeFaces(outputs, {}, 100, 100, Model()).status().code(), StatusCode::kInternalError);
}

TEST(SelectCandidatesTest, CountsFrom64PixelsOnTheShorterSideLargestFirst) {
  std::vector<Face> found(4);
  found[0].box = {0, 0, 63, 500};
  found[1].box = {0, 0, 64, 64};
  found[2].box = {0, 0, 90, 70};
  found[3].box = {0, 0, 500, 63};
  const auto selected = SelectCandidates(found);
  ASSERT_EQ(selected.size(), 2U);
  EXPECT_EQ(selected[0].box.width, 90);
  EXPECT_EQ(selected[1].box.width, 64);
}

TEST(SelectCandidatesTest, TakesTheLargestWhereThereAreTooMany) {
  std::vector<Face> found(30);
  for (int i = 0; i < 30; ++i) found[i].box = {0, 0, 64 + i, 64 + i};
  const auto selected = SelectCandidates(found);
  ASSERT_EQ(selected.size(), 24U);
  EXPECT_EQ(selected.front().box.width, 93);
  EXPECT_EQ(selected.back().box.width, 70);
}

}  // namespace
}  // namespace telltale
