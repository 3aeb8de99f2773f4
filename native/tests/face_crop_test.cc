// Tests that the engine cuts the same face crops as the training code, which wrote
// test/fixtures/face_crop.json.
#include "face/face_crop.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <opencv2/core.hpp>

namespace telltale {
namespace {

// Returns the image by whose crops engine and training code are compared.
Image MakeImage(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  image.pixels.resize(static_cast<size_t>(width) * height * 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      uint8_t* pixel = image.row(y) + x * 3;
      pixel[0] = static_cast<uint8_t>(x * 255 / (width - 1));
      pixel[1] = static_cast<uint8_t>(y * 255 / (height - 1));
      pixel[2] = static_cast<uint8_t>(((x * x / 64 + y * y / 96) / 4 + (x / 7 + y / 5) % 2 * 24) % 256);
    }
  }
  return image;
}

Landmarks ReadPoints(const cv::FileNode& node) {
  Landmarks points;
  for (int i = 0; i < 5; ++i) points[i] = {static_cast<double>(node[i][0]), static_cast<double>(node[i][1])};
  return points;
}

TEST(FaceCropTest, AgreesWithTrainingOnEveryGoldenCase) {
  const cv::FileStorage file(TELLTALE_SOURCE_DIR "/test/fixtures/face_crop.json", cv::FileStorage::READ);
  ASSERT_TRUE(file.isOpened());
  const cv::FileNode cases = file["cases"];
  ASSERT_GT(cases.size(), 0U);
  FaceSpecialistModel model;
  model.crop_template = ReadPoints(file["template"]);
  for (const cv::FileNode& golden : cases) {
    SCOPED_TRACE(static_cast<std::string>(golden["name"]));
    model.size_px = static_cast<int>(golden["size_px"]);
    const Landmarks points = ReadPoints(golden["points"]);

    const Similarity matrix = EstimateCrop(points, model);
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(matrix[i], static_cast<double>(golden["matrix"][i / 3][i % 3]), 1e-6) << i;
    }

    std::vector<uint8_t> crop(static_cast<size_t>(model.size_px) * model.size_px * 3);
    const Image image = MakeImage(static_cast<int>(golden["width"]), static_cast<int>(golden["height"]));
    CropFace(image, points, model, crop.data());
    for (const cv::FileNode& expected : golden["pixels"]) {
      const int x = static_cast<int>(expected["x"]);
      const int y = static_cast<int>(expected["y"]);
      const uint8_t* pixel = &crop[(static_cast<size_t>(y) * model.size_px + x) * 3];
      for (int c = 0; c < 3; ++c) {
        EXPECT_LE(std::abs(pixel[c] - static_cast<int>(expected["rgb"][c])), 2)
            << x << "," << y << " channel " << c;
      }
    }
  }
}

TEST(FaceCropTest, SurvivesPointsThatNoFaceHas) {
  FaceSpecialistModel model;
  model.size_px = 64;
  model.crop_template = {{{0.35, 0.4}, {0.65, 0.4}, {0.5, 0.565}, {0.385, 0.71}, {0.615, 0.71}}};
  const Image image = MakeImage(100, 80);
  std::vector<uint8_t> crop(64 * 64 * 3);
  const Landmarks one_place = {{{5, 5}, {5, 5}, {5, 5}, {5, 5}, {5, 5}}};
  const Landmarks far_away = {{{1e30, 5}, {-1e30, 5}, {5, 1e30}, {5, 5}, {7, 9}}};
  const Landmarks beyond = {{{900, 900}, {960, 900}, {930, 930}, {910, 960}, {950, 960}}};
  const Landmarks huge = {{{-9000, 0}, {9000, 0}, {0, 9000}, {-5000, 15000}, {5000, 15000}}};
  for (const Landmarks& points : {one_place, far_away, beyond, huge})
    CropFace(image, points, model, crop.data());
}

}  // namespace
}  // namespace telltale
